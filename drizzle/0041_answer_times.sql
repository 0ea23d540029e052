-- In two steps, so that rows from before have no time, since it is not known, and stay where they are.
ALTER TABLE "reference_answers" ADD COLUMN "recorded_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reference_answers" ALTER COLUMN "recorded_at"
  SET DEFAULT case when current_setting('corridor.restoring', true) = 'on' then null else now() end;
