import { termsOfWord } from './searchTerms';

/** What developers call the same, or nearly so: a line for each. From general knowledge. */
const GROUPS = `
auth authentication login signin credentials
authorization permission access rights
db database sql postgres mysql sqlite
migration schema
repo repository
dir directory folder
config configuration settings preferences options
env environment
var variable
delete remove erase drop
add create insert
change edit modify update alter
rename move
error failure exception crash
bug defect issue problem
fix repair solve resolve patch
deploy release ship rollout publish
test spec
flaky intermittent unstable
dependency package library module
import require
function method routine
arg argument parameter param
async asynchronous promise await
concurrency parallel thread race
lock mutex
cache memoize
retry backoff
timeout deadline
slow latency performance perf speed
memory ram heap
leak leaking
js javascript node
ts typescript
py python
k8s kubernetes
docker container image
ci pipeline workflow
pr merge review
branch fork
commit revision
ui interface frontend
backend server api
endpoint route url
request call query
response reply answer
log logging trace
debug diagnose investigate
refactor restructure cleanup
simplify reduce
style css theme
color colour
button click
modal dialog popup
dropdown select menu
format prettier
lint eslint
type typing
null undefined nil none
string text
number integer float
array list
map dictionary hash
loop iterate
sort order
parse decode
serialize encode stringify
regex pattern
date time timestamp
timezone utc
upload attach
download fetch
install setup
upgrade bump
version tag
docs documentation readme
comment annotation
key token secret password
encrypt cipher
hash digest
queue job task
cron schedule
hook callback listener
event message notification
websocket socket
stream pipe
index lookup
search find
filter narrow
page pagination
limit quota throttle
mock stub fake
assert expect
coverage covered
snapshot golden
terminal shell console
command cli
flag switch
path file
user account customer
admin administrator
payment billing invoice
mail email
decide choose pick
prefer favour
plan design architecture
`;

/** The terms of words that mean the same as one does. */
export function synonymsOf(term: string): readonly string[] {
  // Stemming takes its time, and changes the end of a word alone.
  const beginning = term.slice(0, Math.max(1, term.length - 2));
  const found = GROUPS.split('\n')
    .filter((line) => line.includes(beginning))
    .map((line) => line.split(' ').flatMap((word) => termsOfWord(word).terms.slice(0, 1)))
    .filter((terms) => terms.includes(term));
  return [...new Set(found.flat())].filter((other) => other !== term);
}
