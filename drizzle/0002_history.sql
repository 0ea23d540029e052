CREATE TABLE "rollups" (
	"corridor_id" integer NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"best_rate" numeric,
	"samples" integer NOT NULL,
	CONSTRAINT "rollups_corridor_id_hour_pk" PRIMARY KEY("corridor_id","hour")
);
--> statement-breakpoint
ALTER TABLE "rollups" SET (fillfactor = 80);
--> statement-breakpoint
LOCK TABLE "observations" IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
INSERT INTO "rollups" ("corridor_id", "hour", "best_rate", "samples")
SELECT "corridor_id", date_bin(interval '1 hour', "effective_from", 'epoch'),
	max("rate") FILTER (WHERE "rate_type" IN ('interbank', 'retail', 'p2p')), count(*)
FROM "observations"
GROUP BY 1, 2;
