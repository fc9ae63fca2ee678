#!/bin/sh
# Asks `keepit serve`, while it runs, with curl: URL and TOKEN are what it printed.
#   URL=http://127.0.0.1:PORT TOKEN=… sh requests.sh [SESSION]
set -eu
ask() { curl --silent --show-error --header "Authorization: Bearer $TOKEN" --json "${3-}" --request "$1" "$URL/api/memory$2"; echo; }

ask GET /sessions
[ $# -eq 0 ] && exit
ask POST /sessions "{\"sessionId\": \"$1\"}"
ask POST "/sessions/$1/versions" '{"compactionRatio": 10, "aggressiveness": "moderate"}'
ask POST /compose/preview "{\"name\": \"next\", \"totalTokenBudget\": 8000, \"components\": [{\"sessionId\": \"$1\"}]}"
