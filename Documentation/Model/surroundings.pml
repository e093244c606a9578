/* What happens around the processes: time, the disk, and the person. */

/* Whether client `p` is between its note and the stored result or end. */
#define isCommitted(p) ((at[p] >= NOTING && at[p] <= KEEPING) || at[p] == CONCLUDING || at[p] == SUSPENDING)
/* Whether client `p` may still send the token, get a response to it, or store that. */
#define isBusy(p) (request[p] != 0 \
    || (((at[p] >= SENDING && at[p] <= REPLACING) || at[p] == CONCLUDING) && !isLate[p]) || (at[p] == KEEPING && disk == SOUND))
/* Whether the time is over in which something can come of the request that is noted: two seconds after the end of its
 * sender where the lease proves that, else the limit of a request. */
#if LEASE == LOCK || defined(MISTAKE_DEADLINE_LONGER_THAN_LEASE)
#define isQuiet (orphans == 0 && isFree)
#else
#if CLIENTS > 2
#define isQuiet (orphans == 0 && !isBusy(1) && !isBusy(2) && !isBusy(3))
#else
#define isQuiet (orphans == 0 && !isBusy(1) && !isBusy(2))
#endif
#endif
/* Whether a request of client `p` is on its way whose time is up, or whose token has been replaced meanwhile. */
#define isOverdue(p) (request[p] != 0 && (isLate[p] || request[p] != token))

#define isHeldByClient (holder != NOBODY && holder != DEAD)

inline lapse() {
    isLapsed = true;
    isLate[holder] = true;
    if
    :: isCommitted(holder) -> doubt(holder)
    :: else
    fi;
    printf("Client %d sleeps past its lease\n", holder)
}

proctype Clock() {
end:
    do
    /* An access token grows old. No request is under way for that long. */
    :: atomic {
        ageings > 0 && kind == LIVE && age[token] < EXPIRED && orphans == 0 && !isOverdue(1) && !isOverdue(2) ->
        ageings--;
        age[token]++;
        printf("The access token beside token %d is of age %d\n", token, age[token]) }
#if KEYS > 1
    :: atomic {
        ageings > 0 && kind == LIVE && otherAge < EXPIRED && orphans == 0 && !isOverdue(1) && !isOverdue(2) ->
        ageings--;
        otherAge++;
        printf("The access token of the resource is of age %d\n", otherAge) }
    :: atomic { isOtherRefused && orphans == 0 && !isAnyRequestUnderWay -> isOtherRefused = false }
#endif
#if POLICY == NEVER || POLICY == WINDOW
    :: atomic {
        isInDoubt && !noteIsOver && isQuiet ->
        noteIsOver = true;
#if LEASE == CONNECTION
        /* Whoever lost its connection before may not send any more. */
        isLate[1] = isLate[1] || (holder != 1 && at[1] > IDLE && at[1] <= NOTING);
        isLate[2] = isLate[2] || (holder != 2 && at[2] > IDLE && at[2] <= NOTING);
        /* A result could not be stored for so long. */
        if
        :: at[1] == KEEPING -> doubt(1)
        :: at[2] == KEEPING -> doubt(2)
        :: else
        fi
#endif
    }
#endif
#if POLICY != SIGN_IN_INSTEAD
    :: atomic { isSuspended -> isSuspended = false; printf("The next attempt is due\n") }
#endif
#if POLICY == WINDOW
    :: atomic { noteIsRecent -> noteIsRecent = false }
#endif
#if SERVER == GRACE
    /* The server's windows outlast the client's by the margin of `ReplayPolicy`, which is longer than a request. */
    :: atomic {
        !noteIsRecent && lastToken > 1 && !isAnyRequestUnderWay && orphans == 0 ->
        d_step {
            temporary = 1;
            do
            :: temporary <= TOKENS -> hasWindow[temporary] = false; temporary++
            :: else -> break
            od;
            temporary = 0
        } }
#endif
#if LEASE != LOCK
    /* The deadline of a lease passes. Who waits for the server gives up before that, so its holder has died, tries to
     * store a result, or was suspended meanwhile. */
    :: atomic { holder == DEAD && !isLapsed -> isLapsed = true; printf("The lease of a dead process lapses\n") }
    :: atomic { isHeldByClient && !isLapsed && at[holder] == KEEPING -> lapse() }
    :: atomic { isHeldByClient && !isLapsed && at[holder] != KEEPING && troubles > 0 -> troubles--; lapse() }
#if LEASE == CONNECTION
    :: atomic {
        isHeldByClient && !isLapsed && troubles > 0 ->
        troubles--;
        isLapsed = true;
        printf("The connection of client %d ends\n", holder) }
#endif
#ifdef MISTAKE_DEADLINE_LONGER_THAN_LEASE
    :: atomic {
        isHeldByClient && !isLapsed && at[holder] == AWAITING ->
        isLapsed = true;
        printf("The lease of client %d lapses while it waits\n", holder) }
#endif
#endif
#ifdef MISTAKE_LEASE_LOST
    :: atomic { isHeldByClient -> holder = NOBODY; printf("The lease is lost silently\n") }
#endif
    od
}

proctype Disk() {
end:
    do
    :: atomic { disk == SOUND && troubles > 0 -> troubles--; disk = FULL; printf("The disk is full\n") }
    :: atomic { disk == SOUND && troubles > 0 -> troubles--; disk = FAILING; printf("The disk fails\n") }
    :: atomic { disk != SOUND -> disk = SOUND; printf("The disk is sound again\n") }
    od
}

/* The person signs out and in, in a process of their own and without the lease. */
proctype Person() {
    byte read;
    byte old;
end:
    do
    /* `ProviderSessions.end(_:)` by `SessionRecords.replace(_:with:)` with nil */
    :: atomic {
        troubles > 0 && kind == LIVE ->
        troubles--;
        isPersonBusy = true;
        read = generation;
        old = session };
        do
        :: atomic {
            writer == NOBODY && disk == SOUND ->
            if
            :: generation == read ->
#ifndef MISTAKE_SIGN_OUT_KEEPS_GENERATION
                generation++;
#endif
                kind = ABSENT; token = 0; session = 0; tokensSince = 0; isSuspended = false; isUnverified = false;
                forgetOther();
                printf("The person signs out\n");
                break
            :: else -> read = generation; old = session
            fi }
        od;
        atomic {
            /* The provider tells the server, which may be out of reach. */
            if
            :: old != 0 -> revoke(old)
            :: skip
            fi;
            read = 0; old = 0;
            isPersonBusy = false }
    /* `ProviderSessions.begin(_:for:)` by `SessionRecords.replace(_:with:)`. What is replaced is not revoked: nothing
     * says here that the new session would survive. */
    :: atomic {
        troubles > 0 && sessions < SESSIONS ->
        troubles--;
        isPersonBusy = true;
        read = generation };
        do
        :: atomic {
            writer == NOBODY && disk == SOUND ->
            if
            :: generation == read ->
                sessions++;
                issue(sessions);
                current[sessions] = issued;
                isAlive[sessions] = true;
                generation++;
                kind = LIVE; token = issued; session = sessions; tokensSince = generation; isSuspended = false;
                isUnverified = false;
#if KEYS > 1
                signedInSince = generation;
#endif
                forgetOther();
                printf("The person signs in: session %d, token %d\n", session, token);
                issued = 0; read = 0;
                isPersonBusy = false;
                break
            :: else -> read = generation
            fi }
        od
    od
}

#if KEYS > 1
/* A call that finds a token that is valid gets it without the lease, also while a request for the other key is in doubt
 * (`Credential.choice(for:at:)`). */
proctype Reader() {
end:
    do
    :: atomic { kind == LIVE && !isUnverified && isUsable(token) -> assert(!isOwnForeign) }
    :: atomic { kind == LIVE && !isUnverified && otherAge != EXPIRED -> assert(!isOtherForeign) }
    od
}
#endif
