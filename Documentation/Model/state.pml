/* The state: first what is really there, then what only the properties look at. */

/* The session's record. A step that changes it is one compare-and-swap, under the record's write lock. */
byte generation;
byte kind;
byte token;
byte session;
byte tokensSince; /* the generation that brought the token (`Credential.tokensSince`) */
bool isSuspended; /* Its tokens are kept and a sign-in is offered (`Suspension`); until the next attempt is due. */
bool isUnverified; /* stored before its ID token could be verified */

#if KEYS > 1
byte otherAge; /* the age of the resource's access token in the record (`Credential.tokens`); EXPIRED where there is none */
byte signedInSince; /* the generation of the sign-in (`Credential.sessionNumber`) */
bool isOtherRefused; /* The server has just given no token for the resource (`KeyRefusal`). */
#endif

/* The note of the last request (`RefreshIntent`), a record of its own with a generation of its own. */
byte noteGeneration;
byte noteSpeaksOf; /* the generation that brought the token that was sent */
byte noteAttempt;
bool noteIsOver;   /* for the policy `never`: nothing more can come of the request (`RefreshIntent.isOver(at:after:)`) */
bool noteIsRecent; /* for the policy `window`: as long as the server's own window is certainly open */

#ifdef MISTAKE_DOUBT_OF_ONE_KEY
byte noteKey;
#endif

/* The lease. */
#define NOBODY 0
#define DEAD (CLIENTS + 1)
byte holder;   /* a client, or DEAD: the note of a process that died */
bool isLapsed; /* its deadline is over, so it can be taken over */

/* The record's write lock, where a write is more than one step. */
byte writer;

byte disk;

/* The clients, each one process: its tasks share one refresh (`Coalescer`). Index 0 is unused. */
byte at[CLIENTS + 1];
byte seen[CLIENTS + 1];       /* the generation its decision was made on */
byte since[CLIENTS + 1];      /* the generation that brought the token it read */
bool isLate[CLIENTS + 1];     /* its lease's time is up, on its own clock */
bool isCalled[CLIENTS + 1];   /* a caller waits for it */
bool isClosing[CLIENTS + 1];  /* it was asked to end */
byte request[CLIENTS + 1];    /* the token that is on its way to the server */
byte answer[CLIENTS + 1];
byte answerToken[CLIENTS + 1];

/* Requests whose senders do not wait any more. The server may still get them. */
byte orphan[TROUBLES + 1];
byte orphans;

/* The server. */
byte lastToken;
byte sessions;
byte sessionOf[TOKENS + 1];
bool hasWindow[TOKENS + 1]; /* GRACE: this spent token is accepted once more */
byte current[SESSIONS + 1];
byte previous[SESSIONS + 1];
bool isAlive[SESSIONS + 1];

/* The clock, as far as it matters. */
byte age[TOKENS + 1];

/* What may still happen. */
byte troubles = TROUBLES;
byte ageings = AGEINGS;
bool isPersonBusy;

byte temporary;

/* Only for the properties. */

byte sentBy[CLIENTS + 1]; /* the token of each client's last request */

/* How often each token was sent without its sender having learnt that it was not looked at. */
byte sent[TOKENS + 1];
/* The generation that brought a token which is honestly in doubt: its sender died, slept past its lease, got no answer, or could not
 * write to a failing disk. */
byte honestDoubt;
/* Whether the policy, the server or a forged ID token has the last word on a session: it may end. */
bool mayEnd[SESSIONS + 1];
#if KEYS > 1
/* What lies in the record as the session's own access token, or as the resource's, is for something else. */
bool isOwnForeign;
bool isOtherForeign;
#endif
/* A token was in doubt, the server's window was open, and a call was made to wait. */
bool isWindowMissed;

#if CLIENTS > 2
#define isEverybodyIdle (at[1] == IDLE && at[2] == IDLE && at[3] == IDLE)
#define isAnyRequestUnderWay (request[1] != 0 || request[2] != 0 || request[3] != 0)
#else
#define isEverybodyIdle (at[1] == IDLE && at[2] == IDLE)
#define isAnyRequestUnderWay (request[1] != 0 || request[2] != 0)
#endif
#define isUsable(t) (age[t] != EXPIRED)
#if KEYS > 1
#define wantsOwn (key == OWN)
inline forgetOther() { otherAge = EXPIRED; isOtherRefused = false; isOwnForeign = false; isOtherForeign = false }
#else
#define wantsOwn true
inline forgetOther() { skip }
#endif
#define isFree (holder == NOBODY || (LEASE != LOCK && isLapsed))
#define isInDoubt (noteSpeaksOf == tokensSince && noteAttempt > 0)

/* What client `p` has sent, or may have, is in doubt; that is of interest while the record has not moved on. */
inline doubt(p) {
    if
    :: since[p] == tokensSince -> honestDoubt = tokensSince
    :: else
    fi
}
