CREATE TABLE "portal_passkeys" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text,
	"public_key" text NOT NULL,
	"credential_id" text NOT NULL,
	"counter" integer NOT NULL,
	"device_type" text NOT NULL,
	"backed_up" boolean NOT NULL,
	"transports" text,
	"created_at" timestamp (3) with time zone,
	"aaguid" text,
	CONSTRAINT "portal_passkeys_credential" UNIQUE("credential_id")
);
--> statement-breakpoint
CREATE TABLE "portal_two_factors" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"secret" text NOT NULL,
	"backup_codes" text NOT NULL,
	"verified" boolean DEFAULT true NOT NULL,
	"failed_verification_count" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp (3) with time zone,
	CONSTRAINT "portal_two_factors_user" UNIQUE("user_id")
);
--> statement-breakpoint
ALTER TABLE "portal_users" ADD COLUMN "two_factor_enabled" boolean;--> statement-breakpoint
ALTER TABLE "portal_passkeys" ADD CONSTRAINT "portal_passkeys_user_id_portal_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."portal_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "portal_two_factors" ADD CONSTRAINT "portal_two_factors_user_id_portal_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."portal_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "portal_passkeys_user" ON "portal_passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "oauth_clients_name" ON "oauth_clients" USING btree ("name");
--> statement-breakpoint
DROP TRIGGER audit_log_append_only ON audit_log;
--> statement-breakpoint
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_log_kept BEFORE UPDATE ON audit_log
  FOR EACH STATEMENT WHEN (current_setting('corridor.forgetting', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- Leaves of an account its id alone: every address that it had, and the names of its keys, go from
-- where they stand, the log of changes included. What was recorded and counted stays.
CREATE FUNCTION forget_account(gone uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  opaque text := 'deleted-' || gone;
  addresses text[];
BEGIN
  SELECT array_agg(DISTINCT address) INTO addresses FROM (
    SELECT email FROM accounts WHERE id = gone
    UNION ALL SELECT email FROM portal_users WHERE account_id = gone
    UNION ALL SELECT before->>'email' FROM audit_log WHERE account_id = gone
    UNION ALL SELECT after->>'email' FROM audit_log WHERE account_id = gone
  ) had (address) WHERE address IS NOT NULL;
  UPDATE accounts SET email = opaque, plan = 'free', role = 'member' WHERE id = gone;
  UPDATE keys SET name = 'deleted', last_four = NULL WHERE account_id = gone;
  PERFORM set_config('corridor.forgetting', 'on', true);
  UPDATE audit_log SET
    actor = CASE WHEN actor = ANY (addresses) THEN opaque ELSE actor END,
    subject = CASE WHEN account_id = gone THEN opaque ELSE subject END,
    before = CASE WHEN account_id = gone THEN before - 'email' ELSE before END,
    after = CASE WHEN account_id = gone THEN after - 'email' ELSE after END
  WHERE account_id = gone OR actor = ANY (addresses);
  PERFORM set_config('corridor.forgetting', 'off', true);
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION forget_account(uuid) FROM PUBLIC;
