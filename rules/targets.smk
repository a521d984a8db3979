# What one can ask for by name, beside the quick study, which stands in the Snakefile. Each ends by printing the summaries
# of what it asks for. They ask for the tables too: Snakemake makes a table that went missing (of a fit that was killed or
# failed) again only where it is asked for, not where a report is there already.


TARGETS = {
    # The smallest study: everything once, in half a minute.
    "smoke": studied("smoke"),
    # The published study, or one part of it: from its frozen tables, or played where there are none.
    "study": [*(shard_tables(part, n) for part in ABSENT for n in STUDIES[part].match_lengths()), *studied(*PARTS)],
    # The parts that have frozen tables, without playing; all parts together end with the comparison.
    "analysis": analysed,
    "comparison": [rules.compare.output, rules.comparison_page.output],
    "law": [rules.law_tables.output, rules.law_page.output],
    # All tables and tracked figures that the frozen tables determine, and no pages: what `./run verify` makes anew.
    "refit": refitted,
    # Collections through Snakemake: --config collection=DIR.
    "human": rules.human_tables.output,
    # From its frozen table, or played where there is none; its shards alone, for another machine that merges.
    "tournament": [
        *rules.tournament_report.output,
        *expand(rules.tournament_tables.output, tournament=TOURNAMENT_NAME),
    ],
    "tournament_shards": shard_tables(TOURNAMENT_STUDY, TOURNAMENT.match_length),
}

for target, files in TARGETS.items():

    rule:
        name:
            target
        input:
            files,
        localrule: True
        params:
            summaries=lambda w, input: [file for file in input if file.endswith("summary.txt")],
        shell:
            "cat /dev/null {params.summaries:q} 2> {log:q}"
