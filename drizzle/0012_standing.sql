CREATE INDEX "observations_standing" ON "observations" USING gist (box(
  point("corridor_id"::float8, (extract(epoch from "effective_from" at time zone 'UTC') * 1000)::float8),
  point("corridor_id"::float8, (extract(epoch from "valid_until" at time zone 'UTC') * 1000)::float8)
)) WHERE "observations"."valid_until" is not null;
