#!/bin/sh
# Stands in for rate and ratings: does what stands in the files that it is to rate.
kind=$1 path=$2
while [ $# -gt 0 ]; do
    case $1 in --results) results=$2 ;; --name) name=$2 ;; esac
    shift
done
if [ -d "$path" ]; then path=$path/*; fi
text=$(cat $path) || exit 1
case $text in
*hang*) exec sleep 1000 ;;
*deaf*) trap '' TERM; echo '{"what": "matches"}'; while :; do sleep 1; done ;;
*fail*) echo 'bgrating: this is odd' >&2; exit 1 ;;
*flood*) head -c 9000000 /dev/zero | tr '\0' x >&2; head -c 200000 /dev/zero | tr '\0' '['; echo ;;
*die*) kill -9 $$ ;;
esac
case $text in
*owned*)
    for number in $(seq 30); do
        echo "{\"player\": \"p$number\"}"
    done | paste -sd , | sed 's/.*/{"reader": "p25", "players": [&]}/'
    ;;
esac
case $kind in rate) kind=human ;; esac
mkdir -p "$results/$kind/$name"
echo page >"$results/$kind/$name/report.html"
echo '{"answer": "done"}'
