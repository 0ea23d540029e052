-- Where the months begin and end can be asked by anyone, without a right on the schema they are in.
ALTER FUNCTION observation_months() SECURITY DEFINER;
