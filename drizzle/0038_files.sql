CREATE TABLE "file_parts" (
	"period" text NOT NULL,
	"edition" integer NOT NULL,
	"part" integer NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "file_parts_period_edition_part_pk" PRIMARY KEY("period","edition","part")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"period" text NOT NULL,
	"edition" integer NOT NULL,
	"rows" integer NOT NULL,
	"bytes" bigint NOT NULL,
	"digest" char(64) NOT NULL,
	"made_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "files_period_edition_pk" PRIMARY KEY("period","edition")
);
--> statement-breakpoint
CREATE TRIGGER files_append_only BEFORE UPDATE OR TRUNCATE ON files
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- Whoever may make files of days may make these.
DO $$
DECLARE
  role record;
BEGIN
  FOR role IN SELECT DISTINCT acl.grantee::regrole AS name FROM pg_class, aclexplode(relacl) acl
    WHERE oid = 'day_files'::regclass AND acl.privilege_type = 'INSERT'
      AND acl.grantee NOT IN (0, relowner)
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, DELETE ON files, file_parts TO %s', role.name);
  END LOOP;
END $$;
