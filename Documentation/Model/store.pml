/* What a client does with the store. */

/* `TokenStore.lease(for:)`: `StoreLeasing.claim(_:at:)`, and what is reserved with it. */
inline claim() {
    holder = me;
    isLapsed = false;
    isLate[me] = false;
    seen[me] = 0; since[me] = 0;
    printf("Client %d takes the lease\n", me)
}

/* `StoreLease.release()`: looked at and removed under the lock beside the note. */
inline giveBack() {
    if
    :: holder == me -> holder = NOBODY; isLapsed = false; printf("Client %d gives the lease back\n", me)
    :: else
    fi
}

/* Whether `StoreLease.write(_:replacing:)` finds what it needs. The hold is looked at under the record's write lock.
 * A response replaces the tokens that it was made of, whatever else was written of their session meanwhile. */
#ifdef MISTAKE_STORE_WITHOUT_COMPARING
#define isCurrent true
#else
#ifdef MISTAKE_RESULT_DROPPED_FOR_A_DETAIL
#define isCurrent (generation == seen[me])
#else
#define isCurrent (tokensSince == since[me])
#endif
#endif
#define isStanding (isCurrent && holder == me)

#if KEYS > 1
/* `TokenSet.refreshing(_:for:)`: the access token of the response goes into the place of its key; that of the other key, if
 * there is one, stays beside the new refresh token. */
inline file() {
#ifdef MISTAKE_RESPONSE_WITHOUT_KEY
    isOwnForeign = !wantsOwn
#else
    if
    :: wantsOwn -> isOwnForeign = false
    :: else ->
        age[next] = age[token];
#ifdef MISTAKE_AUDIENCE_NOT_CHECKED
        otherAge = FRESH; isOtherForeign = isForAnother
#else
        /* What is for something else serves nobody who asks for this resource. */
        otherAge = (isForAnother -> otherAge : FRESH);
        isOtherRefused = isForAnother
#endif
    fi
#endif
}
#endif

/* `StoreLease.write(_:replacing:)` of the new credential, marked when its ID token is still to be verified. */
inline putRefreshed() {
#ifndef MISTAKE_STORE_WITHOUT_COMPARING
    assert(tokensSince == since[me]);
#endif
    /* A refresh replaces nothing but the session it began with: no sign-out and no sign-in is undone. */
    assert(kind == LIVE && session == mySession);
    generation++;
#if KEYS > 1
    file();
#endif
    token = next;
    tokensSince = generation;
    isSuspended = false;
    isUnverified = mustVerify;
    seen[me] = generation; since[me] = generation;
    printf("Client %d stores token %d (to be verified: %d), generation %d\n", me, token, isUnverified, generation)
}

/* `StoreLease.write(_:replacing:)` of `SessionRecord.ended`. */
inline putEnded() {
    assert(kind == LIVE && session == mySession);
    /* A live session ends only when the policy, the server or a forged ID token says so. */
    assert(mayEnd[session]);
    /* It ends by evidence: the server has said in its own words that it does not take the stored token. */
    assert(hasWord && (isForged || !accepts(token)));
    /* It does not end because a call waited that could have saved it. */
    assert(!isWindowMissed);
    generation++;
    kind = ENDED;
    tokensSince = 0;
    forgetOther();
    isSuspended = false;
    isUnverified = false;
    printf("Client %d ends session %d\n", me, session)
}

/* `StoreLease.write(_:replacing:)` of the session with a `Suspension`: its tokens stay, and the note speaks of them. */
inline putSuspended() {
    assert(kind == LIVE && session == mySession);
    /* A person is asked for a sign-in only by the server's word, or because the policy does not send a token in doubt. */
    assert(hasWord || (POLICY == SIGN_IN_INSTEAD && honestDoubt == tokensSince));
    generation++;
#ifdef MISTAKE_SUSPENSION_CLEARS_THE_NOTE
    tokensSince = generation;
#endif
    isSuspended = true;
    printf("Client %d suspends session %d, generation %d\n", me, session, generation)
}

/* `RefreshIntents.write(_:for:replacing:)` */
inline putNote(speaksOf, count) {
    noteGeneration++;
    noteSpeaksOf = speaksOf;
    noteAttempt = count;
#ifdef MISTAKE_DOUBT_OF_ONE_KEY
    noteKey = key;
#endif
    noteIsOver = false
}
