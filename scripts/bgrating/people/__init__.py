"""Who played, and what the matches of each person say: names, ratings, what to practise."""
