#!/usr/bin/env bash
# One decision by hand: make a problem, decide, report, look. Needs curl and a running `swapregret serve`.
#   examples/service/decide.sh [http://127.0.0.1:8000]     KEY=srk_… if the server asks for a key
set -euo pipefail
server=${1:-http://127.0.0.1:8000}

call() { # METHOD PATH [JSON]
  curl --silent --show-error --fail-with-body --request "$1" "$server$2" \
    --header "Content-Type: application/json" --header "Idempotency-Key: $(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')" \
    ${KEY:+--header "Authorization: Bearer $KEY"} ${3:+--data "$3"}
  echo
}

made=$(call POST /problems '{"set": "msets 6 2 labels=ad,blog,email,event,radio,video", "name": "Campaign", "horizon": 10000}')
echo "$made"
problem=$(echo "$made" | sed -E 's/^\{"id": ?"([^"]*)".*/\1/')

decided=$(call POST "/problems/$problem/decisions")
echo "$decided"
decision=$(echo "$decided" | sed -E 's/.*"decisions": ?\[\{"id": ?"([^"]*)".*/\1/')

call POST "/decisions/$decision/reward" '{"reward": 0.4}'
call GET "/problems/$problem"
call GET "/problems/$problem/log"
