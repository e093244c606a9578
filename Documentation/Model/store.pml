/* What a client does with the store. */

/* `TokenStore.lease(for:)`: `StoreLeasing.claim(_:at:)`, and what is reserved with it. */
inline claim() {
    holder = me;
    isLapsed = false;
    isLate[me] = false;
    seen[me] = 0;
    printf("Client %d takes the lease\n", me)
}

/* `StoreLease.release()`: looked at and removed under the lock beside the note. */
inline giveBack() {
    if
    :: holder == me -> holder = NOBODY; isLapsed = false; printf("Client %d gives the lease back\n", me)
    :: else
    fi
}

/* Whether `StoreLease.write(_:replacing:)` finds what it needs. The hold is looked at under the record's write lock. */
#ifdef MISTAKE_STORE_WITHOUT_COMPARING
#define isStanding true
#else
#define isStanding (generation == seen[me] && holder == me)
#endif

/* `StoreLease.write(_:replacing:)` of the new credential, marked when its ID token is still to be verified. */
inline putRefreshed() {
#ifndef MISTAKE_STORE_WITHOUT_COMPARING
    assert(generation == seen[me]);
#endif
    /* A refresh replaces nothing but the session it began with: no sign-out and no sign-in is undone. */
    assert(kind == LIVE && session == mySession);
    generation++;
    token = next;
    isUnverified = mustVerify;
    seen[me] = generation;
    printf("Client %d stores token %d (to be verified: %d), generation %d\n", me, token, isUnverified, generation)
}

/* `StoreLease.write(_:replacing:)` of `SessionRecord.ended`. */
inline putEnded() {
    assert(kind == LIVE && session == mySession);
    /* A live session ends only when the policy, the server or a forged ID token says so. */
    assert(mayEnd[session]);
    generation++;
    kind = ENDED;
    isUnverified = false;
    printf("Client %d ends session %d\n", me, session)
}

/* `RefreshIntents.write(_:for:replacing:)` */
inline putNote(speaksOf, count) {
    noteGeneration++;
    noteSpeaksOf = speaksOf;
    noteAttempt = count
}
