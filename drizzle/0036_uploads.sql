CREATE TABLE "upload_drafts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"person" text NOT NULL,
	"file_name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"rows" integer NOT NULL,
	"content" "bytea" NOT NULL,
	"choices" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "upload_layouts" (
	"account_id" uuid NOT NULL,
	"header" text[] NOT NULL,
	"hash" char(64) NOT NULL,
	"choices" jsonb NOT NULL,
	"used_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "upload_layouts_account_id_hash_pk" PRIMARY KEY("account_id","hash")
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"person" text,
	"file_name" text NOT NULL,
	"recorded_at" timestamp (3) with time zone NOT NULL,
	"ids" bigint[] NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"withdrawn_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "upload_drafts" ADD CONSTRAINT "upload_drafts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload_layouts" ADD CONSTRAINT "upload_layouts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "upload_drafts_account" ON "upload_drafts" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "upload_drafts_created" ON "upload_drafts" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "uploads_account" ON "uploads" USING btree ("account_id","recorded_at");--> statement-breakpoint
CREATE INDEX "uploads_recorded" ON "uploads" USING btree ("recorded_at");--> statement-breakpoint
-- Whoever may record may upload.
DO $$
DECLARE
  role record;
BEGIN
  FOR role IN SELECT DISTINCT acl.grantee::regrole AS name FROM pg_class, aclexplode(relacl) acl
    WHERE oid = 'observations'::regclass AND acl.privilege_type = 'INSERT'
      AND acl.grantee NOT IN (0, relowner)
  LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE ON uploads TO %s', role.name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON upload_drafts, upload_layouts TO %s', role.name);
  END LOOP;
END $$;
