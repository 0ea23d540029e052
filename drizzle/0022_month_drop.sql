-- The oldest month of observations, which begins where "early" ends; nothing where there is none.
CREATE FUNCTION oldest_observation_month(
  OUT since timestamptz, OUT until timestamptz, OUT part regclass
) RETURNS SETOF record LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
  SELECT since, since + interval '1 month', part
  FROM observation_months(),
    to_regclass('observation_months.' || to_char(since, '"m"YYYY_MM')) part
  WHERE since < until AND part IS NOT NULL
$$;
--> statement-breakpoint
-- Takes "early" a step nearer to the proof that none of its rows is later than the oldest month, so
-- that its end can be moved there without reading it; answers whether that is proved. The first step
-- holds it for an instant, the second reads it beside everybody.
CREATE FUNCTION prove_early_observations() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
DECLARE
  goal timestamptz := (SELECT until FROM oldest_observation_month());
  proof text := to_char(goal, '"before_"YYYY_MM');
  found record;
BEGIN
  SET LOCAL lock_timeout = '250ms';
  FOR found IN SELECT conname AS name, convalidated AS is_proved FROM pg_constraint
    WHERE conrelid = 'observation_months.early'::regclass AND conname ~ '^before_\d+_\d\d$'
  LOOP
    IF found.name = proof THEN
      IF NOT found.is_proved THEN
        SET LOCAL lock_timeout = '1500ms';
        EXECUTE format('ALTER TABLE observation_months.early VALIDATE CONSTRAINT %I', proof);
      END IF;
      RETURN true;
    END IF;
    EXECUTE format('ALTER TABLE observation_months.early DROP CONSTRAINT %I', found.name);
  END LOOP;
  IF goal IS NOT NULL THEN
    EXECUTE format('ALTER TABLE observation_months.early ADD CONSTRAINT %I
      CHECK (effective_from < %L) NOT VALID', proof, goal);
  END IF;
  RETURN false;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION prove_early_observations() FROM PUBLIC;
--> statement-breakpoint
-- Drops a month of observations, the oldest one, and answers how many are gone; null where the oldest
-- is another by now. All of them must be older than the age limit. Those that later answers need move
-- to "early", and the others are noted in the roll-ups. Nobody records into that month meanwhile, so
-- none comes late; everything else goes on but for the end, which holds the table for an instant.
CREATE FUNCTION drop_observation_month(asked timestamptz, age_limit timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
DECLARE
  tries_max CONSTANT integer := 8;
  month record;
  places text[] := '{true}';
  place text;
  kept bigint[] := '{}';
  doomed bigint;
  noted bigint;
BEGIN
  IF age_limit > now() - interval '1 year' THEN
    RAISE EXCEPTION 'observations are kept for a year or longer' USING ERRCODE = 'restrict_violation';
  END IF;
  -- Long enough for the server to make its own vacuum give way.
  SET LOCAL lock_timeout = '1500ms';
  LOCK TABLE ONLY observations IN SHARE UPDATE EXCLUSIVE MODE;
  LOCK TABLE observation_months.early IN SHARE UPDATE EXCLUSIVE MODE;
  SELECT * INTO month FROM oldest_observation_month();
  IF month.since IS DISTINCT FROM asked THEN
    RETURN NULL;
  END IF;
  IF month.until > age_limit THEN
    RAISE EXCEPTION 'the month lasts longer than the age limit' USING ERRCODE = 'restrict_violation';
  END IF;
  EXECUTE format('LOCK TABLE %s IN SHARE MODE', month.part);
  -- As kept_observations has it, of all series at once; corridor by corridor where these may lie on
  -- servers of their own.
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    EXECUTE format('SELECT coalesce(array_agg(''corridor_id = '' || corridor_id), ''{}'')
      FROM (SELECT DISTINCT corridor_id FROM %s) corridors', month.part) INTO places;
  END IF;
  FOREACH place IN ARRAY places LOOP
    EXECUTE format($query$
      WITH ours AS (
        SELECT id, corridor_id, provider_corridor_id, offer_id, effective_from, valid_until
        FROM %s WHERE %s
      ), candidates AS (
        (SELECT DISTINCT ON (corridor_id, provider_corridor_id, offer_id) * FROM ours
        WHERE valid_until IS NULL
        ORDER BY corridor_id, provider_corridor_id, offer_id, effective_from DESC, id DESC)
        UNION
        (SELECT DISTINCT ON (corridor_id, provider_corridor_id, offer_id) * FROM ours
        WHERE valid_until IS NOT NULL
        ORDER BY corridor_id, provider_corridor_id, offer_id, effective_from DESC, id DESC)
        UNION
        SELECT * FROM ours WHERE valid_until >= $2
      )
      SELECT $3 || coalesce(array_agg(c.id), '{}') FROM candidates c
      LEFT JOIN LATERAL (
        SELECT id FROM observations
        WHERE corridor_id = c.corridor_id AND provider_corridor_id = c.provider_corridor_id
          AND offer_id = c.offer_id AND valid_until IS NULL AND %2$s
          AND effective_from >= $1 AND effective_from < $2
          AND (effective_from, id) > (c.effective_from, c.id)
        LIMIT 1
      ) endless ON true
      LEFT JOIN LATERAL (
        SELECT max(valid_until) AS valid_until FROM observations
        WHERE endless.id IS NULL AND c.valid_until IS NOT NULL
          AND corridor_id = c.corridor_id AND provider_corridor_id = c.provider_corridor_id
          AND offer_id = c.offer_id AND valid_until IS NOT NULL AND %2$s
          AND effective_from >= $1 AND effective_from < $2
          AND (effective_from, id) > (c.effective_from, c.id)
      ) newer ON true
      WHERE endless.id IS NULL AND (
        c.valid_until IS NULL OR newer.valid_until IS NULL
        OR c.valid_until >= $2 AND c.valid_until > newer.valid_until
      )
    $query$, month.part, place) INTO kept USING month.since, age_limit, kept;
  END LOOP;
  EXECUTE format('SELECT count(*) - cardinality($1) FROM %s', month.part) INTO doomed USING kept;
  EXECUTE format($query$
    WITH noted AS (
      UPDATE rollups SET pruned = rollups.pruned + counted.count FROM (
        SELECT o.corridor_id, date_bin(interval '1 hour', o.effective_from, 'epoch') AS hour,
          count(*)::integer AS count
        FROM %s o LEFT JOIN unnest($1) AS kept (id) ON kept.id = o.id
        WHERE kept.id IS NULL GROUP BY 1, 2
      ) counted
      WHERE rollups.corridor_id = counted.corridor_id AND rollups.hour = counted.hour
      RETURNING counted.count
    )
    SELECT coalesce(sum(count), 0) FROM noted
  $query$, month.part) INTO noted USING kept;
  IF noted <> doomed THEN
    RAISE EXCEPTION 'the roll-ups lack hours of the % observations of %', doomed, month.part;
  END IF;
  SET LOCAL corridor.pruning = 'on';
  DELETE FROM long_prices
  WHERE effective_from >= month.since AND effective_from < month.until AND id <> ALL (kept);
  SET LOCAL corridor.pruning = 'off';
  SET LOCAL lock_timeout = '250ms';
  FOR tries IN 1 .. tries_max LOOP
    BEGIN
      LOCK TABLE ONLY observations IN ACCESS EXCLUSIVE MODE;
      LOCK TABLE provider_corridors IN ACCESS EXCLUSIVE MODE;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      -- Whoever waits to record into the month holds the table, and would wait for ever.
      IF tries = tries_max OR EXISTS (
        SELECT FROM pg_locks WHERE relation = month.part AND NOT granted
      ) THEN
        RAISE;
      END IF;
      PERFORM pg_sleep(0.25);
    END;
  END LOOP;
  EXECUTE format('ALTER TABLE observations DETACH PARTITION %s', month.part);
  ALTER TABLE observations DETACH PARTITION observation_months.early;
  EXECUTE format('ALTER TABLE observations ATTACH PARTITION observation_months.early
    FOR VALUES FROM (MINVALUE) TO (%L)', month.until);
  EXECUTE format('ALTER TABLE observation_months.early DROP CONSTRAINT IF EXISTS %I',
    to_char(month.until, '"before_"YYYY_MM'));
  EXECUTE format('INSERT INTO observations OVERRIDING SYSTEM VALUE
    SELECT o.* FROM %s o JOIN unnest($1) AS kept (id) ON kept.id = o.id', month.part) USING kept;
  EXECUTE format('DROP TABLE %s', month.part);
  RETURN doomed;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION drop_observation_month(timestamptz, timestamptz) FROM PUBLIC;
--> statement-breakpoint
-- Whoever may prune may prune months.
DO $$
DECLARE
  role record;
BEGIN
  FOR role IN SELECT DISTINCT acl.grantee::regrole AS name
    FROM pg_proc, aclexplode(proacl) acl
    WHERE oid = 'prune_observations(integer, timestamptz, integer)'::regprocedure
      AND acl.grantee NOT IN (0, proowner)
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION prove_early_observations,
      drop_observation_month TO %s', role.name);
  END LOOP;
END $$;
