
import os, time

def come_to(state):
    if os.environ["STOP_AT"] == state and not os.path.exists("go-on"):
        print(state, flush=True)
        while not os.path.exists("go-on"):
            time.sleep(0.05)

onstart:
    come_to("locked")

rule all:
    input: "slow"

rule slow:
    output: "slow"
    shell: "test -e go-on || echo at work; until test -e go-on; do sleep 0.05; done; touch {output}"
