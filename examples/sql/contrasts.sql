-- Contrasts: the mean over questions of a difference, of accuracies or of a measure.
WITH shares AS (SELECT condition, question, avg(solved) AS share FROM held GROUP BY ALL),
agreement AS (
    SELECT condition, question, avg(value) AS share FROM 'table.measures.parquet'
    WHERE measure = 'agreement' AND value IS NOT NULL GROUP BY ALL)
SELECT 'vote - single' AS contrast, count(*) AS questions, avg(a.share - b.share) AS difference
FROM shares a JOIN shares b USING (question) WHERE a.condition = 'vote' AND b.condition = 'single'
UNION ALL
SELECT 'mad - vote by agreement', count(*), avg(a.share - b.share)
FROM agreement a JOIN agreement b USING (question) WHERE a.condition = 'mad' AND b.condition = 'vote';
