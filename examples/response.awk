# Randomised response to a question with the answers yes and no, for the auditor's line protocol (see README.md).
# The truth (1 or 0 in the data) is told with probability 3/4, so that the loss is log 3 = 1.0986.
#
#   echo '{"first": 1, "second": 0}' > answers.json
#   dpspectra audit --command "gawk -f response.awk" --pair answers.json --epsilon 0.8                  refuted
#   dpspectra audit --command "mawk -W interactive -f response.awk" --pair answers.json --epsilon 1.1   not refuted
#
# Without "-W interactive" mawk waits for more input than a request. Keys come in one order and without blanks, so that
# colons, commas and the last brace split a request into fields: of {"id":7,"side":0,"size":2,...} the second is 7.

BEGIN { FS = "[:,}]" }

$1 == "{\"hello\"" {
    truth[0] = $4; truth[1] = $6
    print "{\"hello\":1,\"name\":\"randomised response in awk\",\"most\":32768,\"seeded\":true,\"independent\":true}"
}

$1 == "{\"id\"" {
    srand($8 + 0)    # "+ 0" makes it a number: mawk turns other seeds into very few
    printf "{\"id\":%d,\"outputs\":[", $2
    for (row = 0; row < $6; row++) {
        told = rand() < 0.75 ? truth[$4] : 1 - truth[$4]
        printf "%s\"%s\"", row ? "," : "", told ? "yes" : "no"
    }
    print "]}"
}

$1 == "{\"bye\"" { exit }

{ fflush() }
