/* What can be chosen, and the names of things. */

/* How the right to refresh is held (`StoreLeasing`). */
#define LOCK 0 /* `untilProcessEnds`: a kernel lock. It dies with its process, never before. */
#define NOTE 1 /* `forAtMost`: a note with owner and deadline. It outlives its process, and can be taken over in the end. */
#define CONNECTION 2 /* A database's: as NOTE, and the connection of a living holder may end at any time. */
#ifndef LEASE
#define LEASE LOCK
#endif

/* What the server makes of a refresh token that was used before. */
#define THEFT 0    /* It takes it for a theft: the session ends everywhere (ThunderID). */
#define REFUSES 1  /* It refuses it, and the session lives on with the newest token. */
#define GRACE 2    /* It accepts it once more for a while, and gives another new one; after that as THEFT. */
#define PARENT 3   /* It answers the predecessor of an unused token with that token again; any older one as THEFT. */
#define CARELESS 4 /* It does not care (InsForge). */
#ifndef SERVER
#define SERVER THEFT
#endif

/* `ReplayPolicy`. `parentAlways` decides as `always` does. */
#define NEVER 0
#define SIGN_IN_INSTEAD 1
#define WINDOW 2
#define ALWAYS 3
#ifndef POLICY
#define POLICY NEVER
#endif

/* Processes, without the person's own. */
#ifndef CLIENTS
#define CLIENTS 2
#endif

/*
 * How many troubles there may be, of any kind, in any order and at any step: a crash, a process that sleeps past its lease,
 * a lost connection, a lost answer, a server that does not look at a request or asks for the person, a full disk, a failing disk, a key that is not at hand, a forged ID
 * token, a signal, a sign-out, a sign-in, another detail to remember, a session that the server ends by itself.
 */
#ifndef TROUBLES
#define TROUBLES 3
#endif

/* How often the access token in the store ages by one step. */
#ifndef AGEINGS
#define AGEINGS 2
#endif

/* With 2 the result of a second grant, which has its own token and note, may be written into the record (`Grant`). */
#ifndef GRANTS
#define GRANTS 1
#endif

/*
 * The access tokens of the session, which its one refresh token brings in turn: 1 for its own alone, 2 for its own and that
 * of a resource (`TokenKey`).
 */
#ifndef KEYS
#define KEYS 1
#endif
#define OWN 0
#define RESOURCE 1

#define TOKENS 12  /* Checked: more are never issued. */
#define SESSIONS 3 /* The person signs in again at most twice. */

/* The age of a token's access token (`RefreshSchedule.urgency(of:at:)`). */
#define FRESH 0
#define EARLY 1 /* It is to be refreshed, and still works. */
#define EXPIRED 2

/* What the session's record holds (`SessionRecord`). */
#define ABSENT 0 /* erased: a sign-out */
#define LIVE 1
#define ENDED 2

/* What became of a request (`RefreshResult`). */
#define NOTHING 0
#define RENEWED 1
#define REFUSED 2
#define UNSPENT 3 /* Nobody looked at the token. */
#define ASKS 4    /* A person is needed, or the same ambiguous refusal came again. */

/* The disk. */
#define SOUND 0
#define FULL 1    /* What was reserved can be written, nothing else. */
#define FAILING 2 /* Every write fails, and nobody knows which of them took effect. */

/* Where a client is. */
#define IDLE 0
#define HOLDING 1
#define DECIDING 2
#define NOTING 3
#define SENDING 4
#define AWAITING 5
#define STORING 6
#define REPLACING 7
#define KEEPING 8
#define VERIFYING 9
#define CONCLUDING 10
#define REMEMBERING 11
#define RELEASING 12
#define SUSPENDING 13
