-- How they debated: MADC's entropy and likelihood, in bits. The paper takes the last round with unread answers, its
-- program the answers of all rounds that were read.
SELECT condition, if(sum(read) FILTER (last) > 0, avg(bits) FILTER (last), NULL) AS "entropy, paper",
    if(sum(read) > 0, sum(read_bits) / count(*) FILTER (last), NULL) AS "entropy, code",
    if(min(share) FILTER (last) > 0, sum(log2(nullif(share, 0))) FILTER (last) / max(times), NULL)
        AS "likelihood, paper",
    sum(log2(nullif(read_share, 0))) / max(times) AS "likelihood, code"
FROM bits JOIN (SELECT condition, count(*) / count(DISTINCT question) AS times FROM held GROUP BY ALL) USING (condition)
GROUP BY ALL;
