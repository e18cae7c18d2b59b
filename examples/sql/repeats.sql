-- Likelihood and entropy over repeats, in conditions with several agents.
WITH sums AS (
    SELECT condition, repeat, count(DISTINCT question) AS questions, [
        {metric: 'entropy, paper', bits: avg(bits) FILTER (last)},
        {metric: 'entropy, code', bits: sum(read_bits) / count(*) FILTER (last)},
        {metric: 'likelihood, paper',
         bits: if(min(share) FILTER (last) > 0, sum(log2(nullif(share, 0))) FILTER (last), NULL)},
        {metric: 'likelihood, code', bits: coalesce(sum(log2(nullif(read_share, 0))), 0)}] AS metrics
    FROM bits SEMI JOIN (FROM agents WHERE agent > 0) USING (condition) GROUP BY condition, repeat)
SELECT metric, condition, any_value(questions) AS questions, count(*) AS repeats,
    if(count(bits) = count(*), avg(bits), NULL) AS mean, if(count(bits) = count(*), stddev(bits), NULL) AS SD
FROM (SELECT * EXCLUDE metrics, unnest(metrics, recursive := true) FROM sums) GROUP BY metric, condition
HAVING count(*) > 1;
