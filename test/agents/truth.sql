-- What is true of the sample at the benchmark's moment, from the tables of the database alone.
-- `truth.moment` has one row and is created before this file is run.

-- Units of a currency per US dollar as known at a time, and the time that they are of.
CREATE FUNCTION truth.leg(asked text, at timestamptz)
RETURNS TABLE (per_usd float8, known_at timestamptz) LANGUAGE sql STABLE AS $$
  SELECT 1::float8, 'infinity'::timestamptz WHERE asked = 'USD'
  UNION ALL
  SELECT peg_rate::float8, 'infinity' FROM currencies WHERE code = asked AND peg_to = 'USD'
  UNION ALL
  (SELECT r.per_usd::float8 * coalesce(c.peg_rate::float8, 1), r.fetched_at
   FROM currencies c JOIN reference_rates r ON r.currency = coalesce(c.peg_to, c.code)
   WHERE c.code = asked AND c.kind = 'fiat' AND asked <> 'USD' AND c.peg_to IS DISTINCT FROM 'USD'
     AND r.fetched_at <= at
   ORDER BY r.fetched_at DESC, r.id DESC LIMIT 1)
$$;

-- The mid of a pair at a time; no row without one that is at most three days old.
CREATE FUNCTION truth.mid(source text, target text, at timestamptz)
RETURNS TABLE (rate float8, known_at timestamptz) LANGUAGE sql STABLE AS $$
  SELECT t.per_usd / s.per_usd, least(s.known_at, t.known_at)
  FROM truth.leg(source, at) s, truth.leg(target, at) t
  WHERE least(s.known_at, t.known_at) >= at - interval '72 hours'
$$;

-- The newest price of each offer, money or not.
CREATE TABLE truth.newest AS
SELECT DISTINCT ON (o.provider_corridor_id, o.offer_id)
  pc.provider_id AS provider, p.name, o.rate_type::text AS kind, p.time_zone, c.source, c.target,
  o.rate::float8 AS rate, coalesce(o.fee, 0)::float8 AS fee, o.effective_from AS seen_at,
  o.effective_from < m.at - interval '7 days' AS is_stale,
  f.source_country, f.target_country, f.pay_in, f.channel, f.service,
  f.amount_min::float8 AS amount,
  CASE p.transfer_time WHEN 'Less than one hour' THEN 1 WHEN 'Same day' THEN 24
    WHEN 'Next day' THEN 48 WHEN '2 days' THEN 48 WHEN '3-5 days' THEN 120 END AS hours
FROM truth.moment m
JOIN observations o ON o.effective_from <= m.at AND coalesce(o.valid_until > m.at, true)
JOIN provider_corridors pc ON pc.id = o.provider_corridor_id
JOIN corridors c ON c.id = o.corridor_id
JOIN providers p ON p.id = pc.provider_id AND p.is_active
LEFT JOIN offers f ON f.id = o.offer_id AND f.corridor_id = o.corridor_id
ORDER BY o.provider_corridor_id, o.offer_id, o.effective_from DESC, o.recorded_at DESC, o.id DESC;

-- Prices at which money can be sent, with the mid of their own day.
CREATE TABLE truth.price AS
SELECT n.*, d.rate AS day_mid, n.rate > d.rate * 1.1 OR n.rate < d.rate / 2 AS is_suspect,
  100 * (1 - n.rate / d.rate) + 100 * n.fee / n.amount AS cost_pct
FROM truth.newest n
LEFT JOIN LATERAL truth.mid(n.source, n.target, n.seen_at) d ON true
WHERE n.kind IN ('retail', 'p2p', 'interbank');
CREATE INDEX ON truth.price (source_country, target_country);

-- Pairs of countries that have prices. None of the sample's has two pairs of currencies.
CREATE TABLE truth.pair AS
SELECT source_country, target_country, min(source) AS source, min(target) AS target,
  count(DISTINCT provider)::int AS providers, array_agg(DISTINCT amount) AS amounts
FROM truth.price WHERE source_country IS NOT NULL AND NOT is_stale GROUP BY 1, 2;

-- What arrives by each provider for an amount: of its offers the nearest in amount, at most a
-- factor of two away, and of those the one by which most would arrive at its own amount. A price
-- for another amount is worth what it is at its own, in proportion.
CREATE FUNCTION truth.sending(sender text, receiver text, sum float8, way text, within int)
RETURNS TABLE (provider text, name text, ratio float8, net float8, worth float8)
LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (provider) provider, name, ratio, (sum - fee) * rate,
    CASE ratio WHEN 1 THEN (sum - fee) * rate ELSE sum * (amount - fee) * rate / amount END FROM (
    SELECT *, greatest(amount / sum, sum / amount) AS ratio FROM truth.price
    WHERE source_country = sender AND target_country = receiver AND NOT is_suspect AND NOT is_stale
      AND (way IS NULL OR way = ANY (pay_in)) AND (within IS NULL OR hours <= within)) near
  WHERE ratio <= 2
  ORDER BY provider, ratio, (amount - fee) * rate / amount DESC
$$;

-- What has to be sent by each provider so that a sum arrives, in the same order.
CREATE FUNCTION truth.receiving(sender text, receiver text, sum float8)
RETURNS TABLE (provider text, name text, ratio float8, sent float8, worth float8)
LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (provider) provider, name, greatest(amount / sent, sent / amount) AS ratio,
    sent, CASE amount WHEN sent THEN sent ELSE sum / ((amount - fee) * rate / amount) END
  FROM (SELECT *, sum / rate + fee AS sent FROM truth.price
    WHERE source_country = sender AND target_country = receiver AND NOT is_suspect
      AND NOT is_stale) near
  WHERE greatest(amount / sent, sent / amount) <= 2
  ORDER BY provider, 3, (amount - fee) * rate / amount DESC
$$;

-- The cost of each offer of a pair for two hundred dollars, at the nearest amount that it is for.
CREATE TABLE truth.cost AS
SELECT DISTINCT ON (source_country, target_country, provider, pay_in, channel, service)
  p.*
FROM (SELECT p.*, greatest(p.amount / sum, sum / p.amount) AS ratio
  FROM truth.price p, truth.moment m, LATERAL truth.mid('USD', p.source, m.at) d,
    LATERAL (SELECT 200 * d.rate AS sum) s
  WHERE p.source_country IS NOT NULL) p
WHERE ratio <= 2 AND cost_pct IS NOT NULL
ORDER BY source_country, target_country, provider, pay_in, channel, service, is_stale, ratio,
  cost_pct;

-- What each pair costs on average.
CREATE TABLE truth.pair_cost AS
SELECT source_country, target_country, avg(cost_pct) AS average, count(*)::int AS offers,
  count(*) FILTER (WHERE is_suspect)::int AS suspect
FROM truth.cost GROUP BY 1, 2;

-- The cheapest believed price of each provider in each pair.
CREATE TABLE truth.provider_cost AS
SELECT provider, name, avg(cheapest) AS average, count(*)::int AS pairs FROM (
  SELECT provider, name, source_country, target_country, min(cost_pct) AS cheapest
  FROM truth.cost WHERE NOT is_suspect GROUP BY 1, 2, 3, 4) best
GROUP BY 1, 2;

-- The mid of each of some days in UTC, if a reference of that very day is known for both sides.
CREATE FUNCTION truth.days(source text, target text, back int)
RETURNS TABLE (day date, rate float8) LANGUAGE sql STABLE AS $$
  SELECT d::date, mid.rate FROM truth.moment m,
    generate_series(date_trunc('day', m.at) - back * interval '1 day', m.at, '1 day') d,
    LATERAL truth.mid(source, target, least(d + interval '1 day' - interval '1 ms', m.at)) mid
  WHERE mid.known_at >= d
$$;
