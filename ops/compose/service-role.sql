-- the user that serves, with the password in SERVICE_PASSWORD; run by psql as the owner
\getenv password SERVICE_PASSWORD
SELECT 'CREATE ROLE corridor_service LOGIN'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'corridor_service') \gexec
ALTER ROLE corridor_service PASSWORD :'password';
