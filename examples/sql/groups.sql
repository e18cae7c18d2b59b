-- Groups of questions, of runs with --group; the interval is Wilson's, of questions asked once.
SELECT condition, "group", sum(times) AS n, count(*) AS questions, avg(share) AS accuracy,
    wilson(avg(share), count(*)) AS "95 % interval", sum(unread) / sum(times) AS unparsed
FROM (SELECT condition, "group", question, count(*) AS times, avg(solved) AS share,
          count(*) FILTER (score = 'unparsed') AS unread
      FROM held WHERE "group" <> '' GROUP BY ALL)
GROUP BY ALL;
