CREATE TABLE "recorders" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "recorders_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"account_id" uuid NOT NULL,
	"key_id" uuid
);
--> statement-breakpoint
CREATE TABLE "withdrawals" (
	"id" bigint NOT NULL,
	"effective_from" timestamp (3) with time zone NOT NULL,
	"recorded_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"corridor_id" integer NOT NULL,
	"provider_corridor_id" integer NOT NULL,
	"rate_type" "rate_type" NOT NULL,
	"rate" numeric NOT NULL,
	"fee" numeric,
	"fee_currency" text,
	"notes" text,
	"evidence" "evidence",
	"offer_id" integer DEFAULT 0 NOT NULL,
	"fee_percent" numeric,
	"delivery_min" integer,
	"delivery_max" integer,
	"valid_until" timestamp (3) with time zone,
	"recorded_by" integer,
	"recorded_via" text,
	"withdrawn_at" timestamp (3) with time zone NOT NULL,
	"withdrawn_by" integer,
	"reason" text NOT NULL,
	CONSTRAINT "withdrawals_pkey" PRIMARY KEY("id","corridor_id")
);
--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "withdrawn" bigint[];--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "providers" text[];--> statement-breakpoint
ALTER TABLE "idempotency" ADD COLUMN "ids" bigint[];--> statement-breakpoint
ALTER TABLE "observations" ADD COLUMN "recorded_by" integer;--> statement-breakpoint
ALTER TABLE "observations" ADD COLUMN "recorded_via" text;--> statement-breakpoint
ALTER TABLE "recorders" ADD CONSTRAINT "recorders_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "recorders_pair" ON "recorders" USING btree ("account_id",coalesce("key_id", "account_id"));--> statement-breakpoint
CREATE INDEX "withdrawals_history" ON "withdrawals" USING btree ("corridor_id","effective_from","id");
--> statement-breakpoint
-- Withdrawn rows lie where the observations lie.
DO $$ BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'observations'::regclass) THEN
      PERFORM create_distributed_table('withdrawals', 'corridor_id', colocate_with => 'observations');
    END IF;
  END IF;
END $$;
--> statement-breakpoint
ALTER TABLE "withdrawals" ADD CONSTRAINT "withdrawals_provider_corridor" FOREIGN KEY ("provider_corridor_id","corridor_id") REFERENCES "public"."provider_corridors"("id","corridor_id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE TRIGGER withdrawals_append_only BEFORE UPDATE ON withdrawals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER withdrawals_whole BEFORE TRUNCATE ON withdrawals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER withdrawals_kept BEFORE DELETE ON withdrawals
  FOR EACH STATEMENT WHEN (current_setting('corridor.pruning', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER recorders_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON recorders
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- Ids for new observations, ascending, for a statement that has to know them before it inserts.
CREATE FUNCTION next_observation_ids(count integer) RETURNS bigint[] LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN array(SELECT nextval('observations_id_seq') FROM generate_series(1, count));
END $$;
--> statement-breakpoint
-- Moves observations of a corridor, whole, to the withdrawals, and answers how many. They are looked
-- for between two times. Every statement names the corridor, as all of it lies on one server.
CREATE FUNCTION withdraw_observations(
  corridor integer, asked bigint[], since timestamptz, upto timestamptz,
  moment timestamptz, recorder integer, why text
) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  moved integer;
  gone integer;
BEGIN
  INSERT INTO withdrawals (id, effective_from, recorded_at, corridor_id, provider_corridor_id, rate_type, rate, fee,
    fee_currency, notes, evidence, offer_id, fee_percent, delivery_min, delivery_max, valid_until,
    recorded_by, recorded_via,
    withdrawn_at, withdrawn_by, reason)
  SELECT o.id, o.effective_from, o.recorded_at, o.corridor_id, o.provider_corridor_id, o.rate_type, o.rate,
    o.fee, o.fee_currency, o.notes, o.evidence, o.offer_id, o.fee_percent, o.delivery_min,
    o.delivery_max, o.valid_until, o.recorded_by, o.recorded_via,
    moment, recorder, why
  FROM observations o
  WHERE o.corridor_id = corridor AND o.id = ANY (asked)
    AND o.effective_from BETWEEN since AND upto;
  GET DIAGNOSTICS moved = ROW_COUNT;
  SET LOCAL corridor.pruning = 'on';
  DELETE FROM long_prices l WHERE l.corridor_id = corridor AND l.id = ANY (asked);
  DELETE FROM observations o
  WHERE o.corridor_id = corridor AND o.id = ANY (asked)
    AND o.effective_from BETWEEN since AND upto;
  GET DIAGNOSTICS gone = ROW_COUNT;
  SET LOCAL corridor.pruning = 'off';
  IF gone <> moved THEN
    RAISE EXCEPTION '% of % observations were pruned meanwhile', moved - gone, moved
      USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN gone;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION withdraw_observations(
  integer, bigint[], timestamptz, timestamptz, timestamptz, integer, text
) FROM PUBLIC;
--> statement-breakpoint
-- As log_change, for a commit that withdrew observations, after which others (restored) hold again.
CREATE FUNCTION log_withdrawal(
  change_restored bigint[], change_at timestamptz, change_since timestamptz,
  change_until timestamptz, change_corridors integer[], change_withdrawn bigint[]
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  logged bigint;
BEGIN
  logged := log_change('observations', change_restored, change_at, NULL, change_since, change_until);
  UPDATE changes SET corridor_ids = change_corridors, withdrawn = change_withdrawn
  WHERE position = logged;
  RETURN logged;
END $$;
--> statement-breakpoint
-- Deletes withdrawn observations that took effect before an age limit, and answers how many.
CREATE FUNCTION prune_withdrawals(age_limit timestamptz) RETURNS integer LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  gone integer;
BEGIN
  IF age_limit > now() - interval '1 year' THEN
    RAISE EXCEPTION 'observations are kept for a year or longer' USING ERRCODE = 'restrict_violation';
  END IF;
  SET LOCAL corridor.pruning = 'on';
  DELETE FROM withdrawals WHERE effective_from < age_limit;
  GET DIAGNOSTICS gone = ROW_COUNT;
  SET LOCAL corridor.pruning = 'off';
  RETURN gone;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION prune_withdrawals(timestamptz) FROM PUBLIC;
--> statement-breakpoint
-- Fails with CR001 where an observation is not the only one of its offer at its time: the roll-ups of
-- its hour are then to be counted again. Called once they are locked, it sees everything that was
-- committed before.
CREATE FUNCTION refuse_restated(series integer[], offers integer[], moments timestamptz[])
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (
    SELECT FROM unnest(series, offers, moments) AS asked (series, offer, moment)
    CROSS JOIN LATERAL (
      SELECT 1 FROM observations o
      WHERE o.provider_corridor_id = asked.series AND o.effective_from = asked.moment
        AND o.offer_id = asked.offer
      OFFSET 1 LIMIT 1
    ) second
  ) THEN
    RAISE EXCEPTION 'an offer has two observations at one time' USING ERRCODE = 'CR001';
  END IF;
END $$;
--> statement-breakpoint
-- Whoever may record may withdraw, and whoever may prune may prune what was withdrawn.
DO $$
DECLARE
  role record;
BEGIN
  FOR role IN SELECT DISTINCT acl.grantee::regrole AS name FROM pg_class, aclexplode(relacl) acl
    WHERE oid = 'observations'::regclass AND acl.privilege_type = 'INSERT'
      AND acl.grantee NOT IN (0, relowner)
  LOOP
    EXECUTE format('GRANT SELECT, INSERT ON withdrawals TO %s', role.name);
    EXECUTE format('GRANT SELECT, INSERT ON recorders TO %s', role.name);
    EXECUTE format('GRANT EXECUTE ON FUNCTION withdraw_observations TO %s', role.name);
  END LOOP;
  FOR role IN SELECT DISTINCT acl.grantee::regrole AS name FROM pg_proc, aclexplode(proacl) acl
    WHERE oid = 'prune_observations(integer, timestamptz, integer)'::regprocedure
      AND acl.grantee NOT IN (0, proowner)
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION prune_withdrawals TO %s', role.name);
  END LOOP;
END $$;
