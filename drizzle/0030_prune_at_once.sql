-- The observations of a series from before the age limit that later answers need: the last one of
-- each offer, and each older one that stays valid for longer than every newer one. One plan serves
-- every series: with many months, planning takes longer than the query itself.
CREATE OR REPLACE FUNCTION kept_observations(series integer, age_limit timestamptz)
RETURNS SETOF bigint LANGUAGE plpgsql STABLE
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN QUERY WITH RECURSIVE known (offer_id) AS (
    SELECT 0 UNION ALL SELECT f.id FROM offers f WHERE f.provider_corridor_id = series
  ), last AS (
    SELECT last_one.* FROM known CROSS JOIN LATERAL (
      SELECT * FROM (
        (SELECT o.id, o.offer_id, o.effective_from, o.valid_until FROM observations o
        WHERE o.provider_corridor_id = series AND o.offer_id = known.offer_id
          AND o.valid_until IS NULL AND o.effective_from < age_limit
        ORDER BY o.effective_from DESC, o.id DESC LIMIT 1)
        UNION ALL
        (SELECT o.id, o.offer_id, o.effective_from, o.valid_until FROM observations o
        WHERE o.provider_corridor_id = series AND o.offer_id = known.offer_id
          AND o.valid_until IS NOT NULL AND o.effective_from < age_limit
        ORDER BY o.effective_from DESC, o.id DESC LIMIT 1)
      ) either
      ORDER BY effective_from DESC, id DESC LIMIT 1
    ) last_one
  ), kept AS (
    SELECT * FROM last
    UNION ALL
    SELECT older.* FROM kept CROSS JOIN LATERAL (
      SELECT * FROM (
        (SELECT o.id, o.offer_id, o.effective_from, o.valid_until FROM observations o
        WHERE o.provider_corridor_id = series AND o.offer_id = kept.offer_id
          AND o.valid_until IS NULL AND o.effective_from < age_limit
          AND (o.effective_from, o.id) < (kept.effective_from, kept.id)
        ORDER BY o.effective_from DESC, o.id DESC LIMIT 1)
        UNION ALL
        SELECT o.id, o.offer_id, o.effective_from, o.valid_until FROM observations o
        WHERE o.provider_corridor_id = series AND o.offer_id = kept.offer_id
          AND o.valid_until >= age_limit AND o.valid_until > kept.valid_until
          AND o.effective_from < age_limit
          AND (o.effective_from, o.id) < (kept.effective_from, kept.id)
      ) either
      ORDER BY effective_from DESC, id DESC LIMIT 1
    ) older
    WHERE kept.valid_until IS NOT NULL
  )
  SELECT kept.id FROM kept;
END $$;
--> statement-breakpoint
-- Deletes up to rows_max of the oldest observations of a series (a row of provider_corridors), and
-- notes them in its roll-ups. Later answers need what stays. One statement finds what is kept and
-- what goes: with two, an observation recorded between them would go although it is needed.
CREATE OR REPLACE FUNCTION prune_observations(series integer, age_limit timestamptz, rows_max integer)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  doomed bigint[];
  hours timestamptz[];
  since timestamptz;
  upto timestamptz;
  corridor integer;
  deleted integer;
BEGIN
  IF age_limit > now() - interval '1 year' THEN
    RAISE EXCEPTION 'observations are kept for a year or longer' USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT corridor_id INTO corridor FROM provider_corridors WHERE id = series;
  WITH kept AS MATERIALIZED (
    SELECT kept_observations(series, age_limit) AS id
  ), oldest AS (
    SELECT o.id, o.effective_from FROM observations o
    WHERE o.provider_corridor_id = series AND o.effective_from < age_limit
      AND NOT EXISTS (SELECT FROM kept WHERE kept.id = o.id)
    ORDER BY o.effective_from, o.id LIMIT rows_max
  )
  SELECT array_agg(id), array_agg(date_bin(interval '1 hour', effective_from, 'epoch')),
    min(effective_from), max(effective_from)
  INTO doomed, hours, since, upto FROM oldest;
  PERFORM FROM rollups WHERE corridor_id = corridor AND hour = ANY (hours)
  ORDER BY hour FOR UPDATE;
  SET LOCAL corridor.pruning = 'on';
  DELETE FROM long_prices WHERE id = ANY (doomed) AND corridor_id = corridor;
  WITH gone AS (
    DELETE FROM observations o USING unnest(doomed) AS d (id)
    WHERE o.id = d.id AND o.provider_corridor_id = series AND o.corridor_id = corridor
      AND o.effective_from BETWEEN since AND upto
    RETURNING o.effective_from
  ), counted AS (
    SELECT date_bin(interval '1 hour', effective_from, 'epoch') AS hour, count(*)::integer AS count
    FROM gone GROUP BY 1
  ), noted AS (
    UPDATE rollups SET pruned = rollups.pruned + counted.count FROM counted
    WHERE rollups.corridor_id = corridor AND rollups.hour = counted.hour
  )
  SELECT coalesce(sum(count), 0) INTO deleted FROM counted;
  SET LOCAL corridor.pruning = 'off';
  RETURN deleted;
END $$;