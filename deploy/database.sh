#!/bin/sh
# Runs once, when the server makes its files: a role for Sallyport that is no superuser, so that the server itself keeps
# tenants apart, and a database that this role owns.
set -eu
psql --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --set "password=$SALLYPORT_DB_PASSWORD" <<'END'
CREATE ROLE sallyport LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE sallyport OWNER sallyport;
END
