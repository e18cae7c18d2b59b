-- If the method were chosen by question: how often each condition is right where the first answers of the vote agree.
-- The vote has the fewest first answers that nobody's reply led to, of those with at least three if there are any.
WITH whole AS ( -- what all conditions held
    SELECT question, repeat FROM held GROUP BY ALL
    HAVING count(*) = (SELECT count(DISTINCT condition) FROM held)),
firsts AS (
    FROM answers SEMI JOIN whole USING (question, repeat)
    QUALIFY round = min(round) OVER (PARTITION BY condition, question, repeat) AND len(heard) = 0),
alone AS (
    SELECT condition, question, repeat, count(*) AS n, count(DISTINCT said) AS different, min(said) AS said,
        bool_and(correct) AS correct
    FROM firsts GROUP BY ALL),
vote AS (
    SELECT condition FROM alone GROUP BY condition
    HAVING count(*) = (SELECT count(*) FROM whole) AND min(n) > 1
    ORDER BY min(n) < 3, if(min(n) < 3, -min(n), min(n)),
        (SELECT sum(tokens) FROM calls WHERE calls.condition = alone.condition) LIMIT 1),
agreed AS (FROM alone SEMI JOIN vote USING (condition) WHERE different = 1 AND said <> '?'),
tried AS ( -- of the vote itself, the other repeats of the question
    SELECT h.condition, a.correct, count(*) AS times, sum(h.solved) AS hits
    FROM agreed a JOIN (FROM held SEMI JOIN whole USING (question, repeat)) h
        ON h.question = a.question AND (h.repeat = a.repeat) = (h.condition <> a.condition) GROUP BY ALL),
counts AS (
    SELECT c.condition, sum(times) FILTER (NOT correct) AS wrong, sum(hits) FILTER (NOT correct) AS rescued,
        sum(times) FILTER (correct) AS right_ones, sum(hits) FILTER (correct) AS kept
    FROM (SELECT DISTINCT condition FROM held) c LEFT JOIN tried USING (condition) GROUP BY c.condition)
SELECT condition || if(condition = vote, ', other repeats', '') AS condition,
    if(wrong > 0, printf('%d of %d', CAST(rescued AS BIGINT), CAST(wrong AS BIGINT)), NULL)
        AS "right where all are wrong",
    if(right_ones > 0, printf('%d of %d', CAST(kept AS BIGINT), CAST(right_ones AS BIGINT)), NULL)
        AS "right where all are right"
FROM counts, (SELECT condition AS vote FROM vote);
