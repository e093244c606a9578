// PostgreSQL's own client, as pkg-config finds it.
#include <libpq-fe.h>
