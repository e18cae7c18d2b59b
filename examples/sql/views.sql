-- Views for the other files, of what parley export RUN --format parquet --out table has written. Debates that failed
-- count in no accuracy. An answer that could not be read is '?' here and never NULL, which avg would leave out.
CREATE VIEW held AS
    SELECT *, CAST(score = 'right' AS INTEGER) AS solved FROM 'table.decisions.parquet' WHERE score <> 'failed';

CREATE VIEW calls AS -- replies of a model, also in debates that failed
    SELECT * FROM 'table.replies.parquet' WHERE error = '' AND kind NOT IN ('given', 'confederate');

CREATE VIEW answers AS -- of each agent in each round the last one, in debates that were held
    SELECT r.condition, r.question, r.repeat, r.round, r.agent, r.heard, r.right AS correct,
        if(r.parsed, '=' || r.answer, '?') AS said
    FROM read_parquet('table.replies.parquet', file_row_number = true) r
    SEMI JOIN held USING (condition, question, repeat)
    WHERE r.answers
    QUALIFY row_number() OVER (PARTITION BY r.condition, r.question, r.repeat, r.round, r.agent
                               ORDER BY r.file_row_number DESC) = 1;

CREATE VIEW agents AS -- what each agent answered first and last, again if in several rounds, and whom it heard
    SELECT condition, question, repeat, agent, count(*) > 1 AS again, flatten(list(heard)) AS heard,
        arg_min(said, round) AS before, arg_max(said, round) AS after,
        arg_min(correct, round) AS was_right, arg_max(correct, round) AS is_right
    FROM answers GROUP BY ALL;

CREATE VIEW modes AS -- what most of those answered first whom an agent heard, or all others if nobody hears anybody
    WITH opinions AS (
        SELECT a.condition, a.question, a.repeat, a.agent, o.before AS mode, o.was_right AS mode_right, count(*) AS n
        FROM (SELECT *, bool_or(len(heard) > 0) OVER (PARTITION BY condition, question, repeat) AS listen
              FROM agents) a
        JOIN agents o USING (condition, question, repeat)
        WHERE o.agent <> a.agent AND o.before <> '?' AND (NOT listen OR list_contains(a.heard, o.agent))
        GROUP BY ALL)
    SELECT condition, question, repeat, agent, arg_max(mode, n) AS mode, arg_max(mode_right, n) AS mode_right
    FROM opinions GROUP BY ALL
    HAVING coalesce(max(n) > max(n, 2)[2], true); -- where several lead, none does

CREATE MACRO every(c, n, k) AS -- the chance that k that are drawn of n are among c
    list_product([greatest(c - i, 0) / (n - i) FOR i IN range(k)]);

CREATE MACRO alike(l) AS -- the share of pairs in a list that are equal, NULL without a pair
    list_sum([len([y FOR y IN l IF y = x]) - 1 FOR x IN l]) / nullif(len(l) * (len(l) - 1), 0);

CREATE MACRO wilson(p, n, z := 1.959963984540054) AS -- a 95 % interval
    [greatest(0, (p + z * z / (2 * n) - z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n)),
     least(1, (p + z * z / (2 * n) + z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n))];

CREATE VIEW bits AS -- of the answers of a round, entropy and share of right ones, of all and of those that were read
    SELECT condition, question, repeat, round, count(*) FILTER (said <> '?') AS read,
        round = max(round) OVER (PARTITION BY condition, question, repeat) AS last,
        entropy(said) AS bits, entropy(said) FILTER (said <> '?') AS read_bits,
        avg(CAST(correct AS INTEGER)) AS share, avg(CAST(correct AS INTEGER)) FILTER (said <> '?') AS read_share
    FROM answers GROUP BY condition, question, repeat, round;
