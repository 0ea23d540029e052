CREATE TABLE "day_file_editions" (
	"day" date NOT NULL,
	"edition" integer NOT NULL,
	"content" "bytea" NOT NULL,
	"made_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "day_file_editions_day_edition_pk" PRIMARY KEY("day","edition")
);
--> statement-breakpoint
CREATE TABLE "catalogue_history" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "catalogue_history_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"row" jsonb,
	"since" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "late_commits" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "late_commits_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"said_at" timestamp (3) with time zone NOT NULL,
	"known_at" timestamp (3) with time zone NOT NULL,
	"ids" bigint[]
);
--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "known_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rollups" ADD COLUMN "changed_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "catalogue_history_since" ON "catalogue_history" USING btree ("kind","name","since","id");--> statement-breakpoint
CREATE INDEX "late_commits_known" ON "late_commits" USING btree ("known_at");--> statement-breakpoint
CREATE INDEX "withdrawals_as_of" ON "withdrawals" USING btree ("provider_corridor_id","effective_from","id");
--> statement-breakpoint
CREATE TRIGGER catalogue_history_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON catalogue_history
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER late_commits_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON late_commits
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER day_file_editions_append_only BEFORE UPDATE OR TRUNCATE ON day_file_editions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- The server's clock for histories, in one place.
CREATE FUNCTION recording_time() RETURNS timestamptz LANGUAGE sql
SET search_path = public, pg_temp AS $$
  SELECT date_trunc('milliseconds', clock_timestamp())
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION note_currency_activity() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO currency_activity (currency, is_active, since)
  SELECT NEW.code, NEW.is_active, greatest(recording_time(), max(since))
  FROM currency_activity WHERE currency = NEW.code;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION note_provider_activity() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO provider_activity (provider_id, is_active, since)
  SELECT NEW.id, NEW.is_active, greatest(recording_time(), max(since))
  FROM provider_activity WHERE provider_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- The one time of all changes of the catalogue in a transaction. A clock that is set back does not
-- change their order.
CREATE FUNCTION catalogue_time() RETURNS timestamptz LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  moment text := current_setting('corridor.catalogue_at', true);
BEGIN
  IF coalesce(moment, '') = '' THEN
    moment := greatest(recording_time(), (
      SELECT since FROM catalogue_history ORDER BY id DESC LIMIT 1
    ))::text;
    PERFORM set_config('corridor.catalogue_at', moment, true);
  END IF;
  RETURN moment::timestamptz;
END $$;
--> statement-breakpoint
-- The tables as they were known at corridor.known_at, under the same names: a session whose
-- search_path begins with this schema reads them in place of those of now.
CREATE SCHEMA known;
--> statement-breakpoint
-- The rows of the catalogue of now, as its history has them.
CREATE VIEW known.catalogue_entries AS
  SELECT 'currencies' AS kind, code AS name, to_jsonb(c) AS row FROM public.currencies c
  UNION ALL
  SELECT 'providers', id, to_jsonb(p) FROM public.providers p;
--> statement-breakpoint
-- Notes every entry whose last version differs, where the catalogue's tables have no triggers.
CREATE FUNCTION note_catalogue_changes() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO catalogue_history (kind, name, row, since)
  SELECT kind, name, entries.row, catalogue_time() FROM known.catalogue_entries entries
  WHERE entries.row IS DISTINCT FROM (
    SELECT known.row FROM catalogue_history known
    WHERE known.kind = entries.kind AND known.name = entries.name
    ORDER BY since DESC, id DESC LIMIT 1
  );
END $$;
--> statement-breakpoint
-- Begins the history of entries that have none, with what is known: when they were switched on and
-- off. Whatever else they say is taken to have been so from the beginning.
CREATE FUNCTION begin_catalogue_history() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO catalogue_history (kind, name, row, since)
  SELECT kind, name, jsonb_set(entries.row, '{is_active}', to_jsonb(is_active)), since
  FROM (
    SELECT * FROM known.catalogue_entries one WHERE NOT EXISTS (
      SELECT FROM catalogue_history known WHERE known.kind = one.kind AND known.name = one.name
    )
  ) entries CROSS JOIN LATERAL (
    SELECT activity.is_active, activity.since, activity.id FROM (
      SELECT 'currencies' AS kind, currency AS name, is_active, since, id FROM currency_activity
      UNION ALL
      SELECT 'providers', provider_id, is_active, since, id FROM provider_activity
    ) activity WHERE activity.kind = entries.kind AND activity.name = entries.name
    UNION ALL
    SELECT coalesce((
      SELECT NOT first.is_active FROM (
        SELECT 'currencies' AS kind, currency AS name, is_active, since, id FROM currency_activity
        UNION ALL
        SELECT 'providers', provider_id, is_active, since, id FROM provider_activity
      ) first WHERE first.kind = entries.kind AND first.name = entries.name
      ORDER BY first.since, first.id LIMIT 1
    ), (entries.row->>'is_active')::boolean), '-infinity', 0
  ) versions
  ORDER BY since, versions.id, kind, name;
END $$;
--> statement-breakpoint
SELECT begin_catalogue_history();
--> statement-breakpoint
-- Notes a changed entry of the catalogue when its transaction commits.
CREATE FUNCTION note_catalogue() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  entry jsonb := CASE WHEN TG_OP = 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END;
  entry_name text := entry->>(CASE TG_TABLE_NAME WHEN 'currencies' THEN 'code' ELSE 'id' END);
  said jsonb := CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE entry END;
BEGIN
  IF said IS DISTINCT FROM (
    SELECT row FROM catalogue_history WHERE kind = TG_TABLE_NAME AND name = entry_name
    ORDER BY since DESC, id DESC LIMIT 1
  ) THEN
    INSERT INTO catalogue_history (kind, name, row, since)
    VALUES (TG_TABLE_NAME, entry_name, said, catalogue_time());
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Where observations are on several servers, so are copies of these tables: the store notes what
-- it changes there.
DO $$ BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'observations'::regclass) THEN
      PERFORM create_reference_table('catalogue_history');
      PERFORM create_reference_table('late_commits');
      RETURN;
    END IF;
  END IF;
  CREATE CONSTRAINT TRIGGER currencies_history AFTER INSERT OR UPDATE OR DELETE ON currencies
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_catalogue();
  CREATE CONSTRAINT TRIGGER providers_history AFTER INSERT OR UPDATE OR DELETE ON providers
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_catalogue();
END $$;
--> statement-breakpoint
-- Notes when a commit became known, which is never before an earlier one. log_change holds the lock
-- of the log by now. The time of a row of the log is what its rows bear, or the server's clock a
-- moment ago, where they bear the start of the transaction.
CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  ended timestamptz := clock_timestamp();
  said timestamptz := NEW.at;
BEGIN
  NEW.known_at := NEW.at + (ended - now());
  IF abs(extract(epoch FROM ended - NEW.at)) < 0.005 THEN
    said := now();
    NEW.known_at := ended;
  END IF;
  NEW.known_at := greatest(NEW.known_at, (
    SELECT known_at FROM changes WHERE known_at IS NOT NULL ORDER BY position DESC LIMIT 1
  ));
  IF NEW.known_at > said + interval '1 second'
    AND current_setting('corridor.restoring', true) IS DISTINCT FROM 'on'
  THEN
    INSERT INTO late_commits (kind, said_at, known_at, ids)
    VALUES (NEW.kind, said, NEW.known_at, NEW.ids);
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER changes_commit BEFORE INSERT ON changes
  FOR EACH ROW WHEN (NEW.kind IN ('observations', 'references')) EXECUTE FUNCTION note_commit();
--> statement-breakpoint
CREATE FUNCTION note_withdrawal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO late_commits (kind, said_at, known_at, ids)
  VALUES ('withdrawals', NEW.at, NEW.known_at, NEW.withdrawn);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER changes_withdrawal AFTER UPDATE OF withdrawn ON changes
  FOR EACH ROW WHEN (NEW.known_at > NEW.at + interval '1 second')
  EXECUTE FUNCTION note_withdrawal();
--> statement-breakpoint
CREATE VIEW known.observations AS
SELECT id, effective_from, recorded_at, corridor_id, provider_corridor_id, rate_type, rate, fee,
  fee_currency, notes, evidence, offer_id, fee_percent, delivery_min, delivery_max, valid_until,
  recorded_by, recorded_via
FROM (
  SELECT id, effective_from, recorded_at, corridor_id, provider_corridor_id, rate_type, rate, fee,
    fee_currency, notes, evidence, offer_id, fee_percent, delivery_min, delivery_max, valid_until,
    recorded_by, recorded_via, NULL::timestamp(3) with time zone AS withdrawn_at
  FROM public.observations
  UNION ALL
  SELECT id, effective_from, recorded_at, corridor_id, provider_corridor_id, rate_type, rate, fee,
    fee_currency, notes, evidence, offer_id, fee_percent, delivery_min, delivery_max, valid_until,
    recorded_by, recorded_via, withdrawn_at
  FROM public.withdrawals
) said
WHERE recorded_at <= (SELECT current_setting('corridor.known_at')::timestamptz)
  AND (withdrawn_at IS NULL
    OR withdrawn_at > (SELECT current_setting('corridor.known_at')::timestamptz)
    OR EXISTS (
      SELECT FROM public.late_commits late
      WHERE late.kind = 'withdrawals' AND late.said_at = withdrawn_at AND said.id = ANY (late.ids)
        AND late.known_at > current_setting('corridor.known_at')::timestamptz
    ))
  AND ((
      SELECT NOT EXISTS (
        SELECT FROM public.late_commits late
        WHERE late.known_at > current_setting('corridor.known_at')::timestamptz
          AND late.said_at <= current_setting('corridor.known_at')::timestamptz
      )
    ) OR NOT EXISTS (
      SELECT FROM public.late_commits late
      WHERE late.kind = 'observations' AND late.said_at = recorded_at
        AND (late.ids IS NULL OR said.id = ANY (late.ids))
        AND late.known_at > current_setting('corridor.known_at')::timestamptz
    ));
--> statement-breakpoint
CREATE VIEW known.withdrawals AS
SELECT * FROM public.withdrawals
WHERE recorded_at <= (SELECT current_setting('corridor.known_at')::timestamptz)
  AND withdrawn_at <= (SELECT current_setting('corridor.known_at')::timestamptz)
  AND NOT EXISTS (
    SELECT FROM public.late_commits late
    WHERE late.kind = 'withdrawals' AND late.said_at = withdrawn_at
      AND withdrawals.id = ANY (late.ids)
      AND late.known_at > current_setting('corridor.known_at')::timestamptz
  );
--> statement-breakpoint
CREATE VIEW known.long_prices AS
SELECT corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until FROM (
  SELECT corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until
  FROM public.long_prices
  UNION ALL
  SELECT corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until
  FROM public.withdrawals
) long
WHERE valid_until IS NOT NULL AND EXISTS (
  SELECT FROM known.observations o
  WHERE o.id = long.id AND o.corridor_id = long.corridor_id
    AND o.effective_from = long.effective_from
);
--> statement-breakpoint
CREATE VIEW known.reference_snapshots AS
SELECT * FROM public.reference_snapshots
WHERE recorded_at <= (SELECT current_setting('corridor.known_at')::timestamptz)
  AND ((
      SELECT NOT EXISTS (
        SELECT FROM public.late_commits late
        WHERE late.known_at > current_setting('corridor.known_at')::timestamptz
          AND late.said_at <= current_setting('corridor.known_at')::timestamptz
      )
    ) OR NOT EXISTS (
      SELECT FROM public.late_commits late
      WHERE late.kind = 'references' AND late.said_at = recorded_at
        AND late.known_at > current_setting('corridor.known_at')::timestamptz
        AND (late.ids IS NULL OR EXISTS (
          SELECT FROM public.reference_rates r
          WHERE r.id = ANY (late.ids) AND r.snapshot_id = reference_snapshots.id
        ))
    ));
--> statement-breakpoint
CREATE VIEW known.reference_rates AS
SELECT * FROM public.reference_rates r
WHERE (
    SELECT recorded_at FROM public.reference_snapshots s WHERE s.id = r.snapshot_id
  ) <= (SELECT current_setting('corridor.known_at')::timestamptz)
  AND ((
      SELECT NOT EXISTS (
        SELECT FROM public.late_commits late
        WHERE late.known_at > current_setting('corridor.known_at')::timestamptz
          AND late.said_at <= current_setting('corridor.known_at')::timestamptz
      )
    ) OR EXISTS (SELECT FROM known.reference_snapshots s WHERE s.id = r.snapshot_id));
--> statement-breakpoint
CREATE VIEW known.provider_activity AS
SELECT * FROM public.provider_activity
WHERE since <= (SELECT current_setting('corridor.known_at')::timestamptz);
--> statement-breakpoint
CREATE VIEW known.currencies AS
SELECT entry.* FROM (
  SELECT DISTINCT ON (name) name, row FROM public.catalogue_history
  WHERE kind = 'currencies'
    AND since <= (SELECT current_setting('corridor.known_at')::timestamptz)
  ORDER BY name, since DESC, id DESC
) last CROSS JOIN LATERAL jsonb_populate_record(NULL::public.currencies, last.row) entry
WHERE last.row IS NOT NULL;
--> statement-breakpoint
CREATE VIEW known.providers AS
SELECT entry.* FROM (
  SELECT DISTINCT ON (name) name, row FROM public.catalogue_history
  WHERE kind = 'providers'
    AND since <= (SELECT current_setting('corridor.known_at')::timestamptz)
  ORDER BY name, since DESC, id DESC
) last CROSS JOIN LATERAL jsonb_populate_record(NULL::public.providers, last.row) entry
WHERE last.row IS NOT NULL;
--> statement-breakpoint
-- Whoever may read observations may read them as they were known.
DO $$
DECLARE
  role record;
BEGIN
  FOR role IN SELECT DISTINCT acl.grantee::regrole AS name FROM pg_class, aclexplode(relacl) acl
    WHERE oid = 'observations'::regclass AND acl.privilege_type = 'INSERT'
      AND acl.grantee NOT IN (0, relowner)
  LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA known TO %s', role.name);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA known TO %s', role.name);
    EXECUTE format('GRANT SELECT, INSERT ON catalogue_history, late_commits TO %s', role.name);
    EXECUTE format('GRANT SELECT, INSERT, DELETE ON day_file_editions TO %s', role.name);
  END LOOP;
END $$;
