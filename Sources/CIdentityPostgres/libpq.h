// PostgreSQL's own client, as pkg-config finds it.
#include <libpq-fe.h>

// libpq before version 14 has no pipelines, and each of these returns 0.
#ifdef LIBPQ_HAS_PIPELINING
static inline int identity_pipeline_enter(PGconn *connection) { return PQenterPipelineMode(connection); }
static inline int identity_pipeline_sync(PGconn *connection) { return PQpipelineSync(connection); }
static inline int identity_pipeline_exit(PGconn *connection) { return PQexitPipelineMode(connection); }
static inline int identity_pipeline_is_over(const PGresult *result) {
    return PQresultStatus(result) == PGRES_PIPELINE_SYNC;
}
#else
static inline int identity_pipeline_enter(PGconn *connection) { return 0; }
static inline int identity_pipeline_sync(PGconn *connection) { return 0; }
static inline int identity_pipeline_exit(PGconn *connection) { return 0; }
static inline int identity_pipeline_is_over(const PGresult *result) { return 0; }
#endif
