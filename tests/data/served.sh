#!/bin/sh
case $2 in *.csv) cat "$0.said" >&2; cat "$0.said"; echo ;; esac
while [ $# -gt 0 ]; do
    case $1 in --results) results=$2 ;; --name) name=$2 ;; esac
    shift
done
mkdir -p "$results/human/$name" "$results/ratings/$name"
echo page >"$results/human/$name/report.html"
echo page >"$results/ratings/$name/report.html"
echo '{"answer": "done"}'
