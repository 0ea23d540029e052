CREATE TABLE "log_checkpoints" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "log_checkpoints_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"size" bigint NOT NULL,
	"sealed_at" timestamp (3) with time zone NOT NULL,
	"note" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "log_keys" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "log_keys_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"sealed" text NOT NULL,
	"made_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"retired_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "log_leaves" (
	"index" bigint PRIMARY KEY NOT NULL,
	"keys" bigint[] NOT NULL,
	"salts" "bytea" NOT NULL,
	"oldest" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "log_spans" (
	"index" bigint NOT NULL,
	"keys" "int8range" NOT NULL,
	CONSTRAINT "log_spans_index_keys_pk" PRIMARY KEY("index","keys")
);
--> statement-breakpoint
CREATE TABLE "log_state" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"origin" text NOT NULL,
	"origins" integer NOT NULL,
	"size" bigint NOT NULL,
	"position" bigint NOT NULL,
	"backlog" jsonb NOT NULL,
	"server" text NOT NULL,
	CONSTRAINT "log_state_one_row" CHECK ("log_state"."is_only")
);
--> statement-breakpoint
CREATE TABLE "log_tiles" (
	"level" smallint NOT NULL,
	"index" bigint NOT NULL,
	"hashes" "bytea" NOT NULL,
	CONSTRAINT "log_tiles_level_index_pk" PRIMARY KEY("level","index")
);
--> statement-breakpoint
CREATE INDEX "log_checkpoints_sealed" ON "log_checkpoints" USING btree ("sealed_at");--> statement-breakpoint
CREATE INDEX "log_checkpoints_size" ON "log_checkpoints" USING btree ("size");--> statement-breakpoint
CREATE INDEX "log_spans_keys" ON "log_spans" USING gist ("keys");
--> statement-breakpoint
ALTER TABLE "log_tiles" ALTER COLUMN "hashes" SET STORAGE EXTERNAL;--> statement-breakpoint
ALTER TABLE "log_leaves" ALTER COLUMN "salts" SET STORAGE EXTERNAL;--> statement-breakpoint
-- A tile grows at its end until it is full, and never changes otherwise.
CREATE FUNCTION keep_tile() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.level, NEW.index) IS DISTINCT FROM (OLD.level, OLD.index)
    OR substring(NEW.hashes FOR length(OLD.hashes)) IS DISTINCT FROM OLD.hashes THEN
    RAISE EXCEPTION 'a tile of the log only grows' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION keep_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.index <> OLD.index OR NEW.keys[:cardinality(OLD.keys)] IS DISTINCT FROM OLD.keys
    OR substring(NEW.salts FOR length(OLD.salts)) IS DISTINCT FROM OLD.salts THEN
    RAISE EXCEPTION 'the leaves of the log only grow' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER log_tiles_grow BEFORE UPDATE ON log_tiles
  FOR EACH ROW EXECUTE FUNCTION keep_tile();
--> statement-breakpoint
CREATE TRIGGER log_leaves_grow BEFORE UPDATE ON log_leaves
  FOR EACH ROW EXECUTE FUNCTION keep_leaves();
--> statement-breakpoint
CREATE TRIGGER log_tiles_kept BEFORE DELETE OR TRUNCATE ON log_tiles
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER log_leaves_kept BEFORE DELETE OR TRUNCATE ON log_leaves
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER log_spans_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON log_spans
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- As log_change, for a commit with more rows than are listed: its first and its last id. Its range
-- may hold rows of other commits.
CREATE FUNCTION log_range_change(
  change_kind text, first_id bigint, last_id bigint, change_at timestamptz,
  change_since timestamptz, change_until timestamptz
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  logged bigint;
BEGIN
  logged := log_change(change_kind, NULL, change_at, NULL, change_since, change_until);
  UPDATE changes SET witnesses = ARRAY[first_id, last_id] WHERE position = logged;
  RETURN logged;
END
$$;
