/*
 * A process that refreshes: `ProviderSessions` and, from the lease on, `TokenRefresher`. Each step is atomic and begins and ends with
 * shared state; between any two of them the process may be slow, be suspended past its lease, or die.
 */

/* The call is over for whoever called. */
inline handOut(t) {
    /* Nobody gets a token of a session that had ended before they asked; `sessionAtCall` was live since then. */
    assert(sessionOf[t] == sessionAtCall || (kind == LIVE && sessionOf[t] == session));
#if KEYS > 1
    /* Nobody gets what is for something else. A call for a resource fails here when there is no token for it. */
    assert(wantsOwn -> !isOwnForeign : !isOtherForeign);
#endif
    isCalled[me] = false
}

inline forget() {
#if KEYS > 1
    key = OWN; isForAnother = false;
#endif
    seen[me] = 0; since[me] = 0; isLate[me] = false; isCalled[me] = false; isClosing[me] = false;
    request[me] = 0; answer[me] = NOTHING; answerToken[me] = 0;
    sentBy[me] = 0; mine = 0; mySession = 0; next = 0; entry = 0; attempt = 0; noted = 0; before = 0;
    mustVerify = false; isReserved = false; hasFailed = false; sessionAtCall = 0; byWindow = false;
    hasWord = false; isForged = false; wasInDoubt = false
}

/* At rest nobody remembers a number but the store and the server, so numbering begins again. What can happen next is the
 * same, and spin has fewer states to look at. */
inline renumber() {
    d_step {
        honestDoubt = (honestDoubt == tokensSince && isInDoubt -> 1 : 0);
        noteAttempt = (isInDoubt -> noteAttempt : 0);
        noteSpeaksOf = (noteAttempt > 0 -> 1 : 0);
        noteIsRecent = noteIsRecent && noteAttempt > 0;
        noteIsOver = noteIsOver && noteAttempt > 0;
        isWindowMissed = isWindowMissed && noteAttempt > 0;
        noteGeneration = 1;
        generation = 1;
        tokensSince = (kind == LIVE -> 1 : 0);
#if KEYS > 1
        signedInSince = tokensSince;
#endif
        if
        :: kind == LIVE ->
            /* A permission to end ends with the doubt: what is stored is the newest token, and nothing is on its way. */
            mayEnd[1] = mayEnd[session] && (!isAlive[session] || token != current[session] || isInDoubt);
            isAlive[1] = isAlive[session];
            sessionOf[1] = 1;
            sessionOf[2] = 1;
            age[1] = age[token];
            sent[1] = sent[token];
            hasWindow[1] = hasWindow[token];
            previous[1] = (token == previous[session] -> 1 : 0);
            current[1] = (token == current[session] -> 1 : 2);
            lastToken = current[1];
            token = 1;
            session = 1;
            sessions = 1
        :: else ->
            lastToken = 0;
            sessions = 0;
            mayEnd[1] = false; isAlive[1] = false; previous[1] = 0; current[1] = 0;
            age[1] = 0; sent[1] = 0; hasWindow[1] = false; sessionOf[1] = 0;
            token = 0; session = 0;
            forgetOther()
        fi;
        age[2] = 0; sent[2] = 0; hasWindow[2] = false;
        sessionOf[2] = (lastToken == 2 -> 1 : 0);
        temporary = 3;
        do
        :: temporary <= TOKENS ->
            sessionOf[temporary] = 0; age[temporary] = 0; sent[temporary] = 0; hasWindow[temporary] = false;
            temporary++
        :: else -> break
        od;
        temporary = 2;
        do
        :: temporary <= SESSIONS ->
            mayEnd[temporary] = false; isAlive[temporary] = false; previous[temporary] = 0; current[temporary] = 0;
            temporary++
        :: else -> break
        od;
        temporary = 0
    }
}

inline becomeIdle() {
    forget();
    at[me] = IDLE;
#if GOES_ON == 0
    /* Who does nothing holds nothing. */
    assert(holder != me && writer != me);
#endif
    /* At rest, what is stored works, or the note says that nobody knows, or somebody had the right to end it. */
    if
    :: isEverybodyIdle && orphans == 0 && !isPersonBusy ->
        assert(kind != LIVE || accepts(token) || mayEnd[session] || (isInDoubt && honestDoubt == tokensSince));
        renumber()
    :: else
    fi
}

/* The request is left to itself: it may arrive later. */
inline abandonRequest() {
    if
    :: request[me] != 0 -> orphan[orphans] = request[me]; orphans++
    :: else
    fi;
    request[me] = 0; answer[me] = NOTHING; answerToken[me] = 0
}

/* Whether a death at this step leaves the token honestly in doubt: it was noted, and the process did nothing but send
 * the request, wait for the answer and store it or the end. A full disk is no excuse, because space was reserved. */
#define leavesDoubt (at[me] == SENDING || at[me] == AWAITING || at[me] == STORING || at[me] == REPLACING \
    || at[me] == CONCLUDING || at[me] == SUSPENDING || (at[me] == KEEPING && hasFailed))

/* Whether nothing more can come of the request that the note names, as a client believes. */
#ifdef MISTAKE_RESEND_AFTER_A_SECOND
#define isOver true
#else
#ifdef MISTAKE_CONNECTION_TAKEN_FOR_A_PROCESS
/* The lease was free, so its holder is gone, and two seconds later its request has arrived or never will. */
#define isOver (orphans == 0)
#else
#define isOver noteIsOver
#endif
#endif

#ifdef MISTAKE_WAIT_IN_A_WINDOW
#define isWindowUsed (noteIsRecent && !isUsable(mine))
#else
#define isWindowUsed noteIsRecent
#endif

/* What the note says is of the refresh token, whichever key it was sent for. */
#ifdef MISTAKE_DOUBT_OF_ONE_KEY
#define isNoted (noted == since[me] && noteKey == key)
#else
#define isNoted (noted == since[me])
#endif

/* Whether a second request is not worth its risk. For a resource nothing is risked that another caller can still use. */
#if KEYS > 1
#define isWorthKeeping (isUsable(mine) || (!wantsOwn && otherAge != EXPIRED))
#define isFresh (wantsOwn -> age[token] == FRESH : otherAge == FRESH)
#else
#define isWorthKeeping isUsable(mine)
#define isFresh (age[token] == FRESH)
#endif

/* Whether an earlier request may arrive whose token was sent twice, and was replaced since. With one access token the next
 * request comes when that is old. With two it would come at once, and make the earlier one a theft at a server that takes no
 * more than the predecessor (`RefreshIntent.holdsBack(_:of:at:)`). */
#if KEYS > 1 && POLICY == ALWAYS && !defined(MISTAKE_NEXT_KEY_AT_ONCE)
#define isHeldBack (noteAttempt > 1 && noteSpeaksOf < tokensSince && noteSpeaksOf >= signedInSince \
    && (orphans > 0 || isAnyRequestUnderWay))
#else
#define isHeldBack false
#endif

/* `ReplayPolicy.verdict(on:isAccessTokenUsable:after:at:)`; `before` says whether the token was sent with an unknown end.
 * The pause between two requests is no step: it only makes a call fail. */
inline decideReplay() {
    before = (isNoted -> before : 0);
    attempt = (before == 0 -> 1 : 2);
    byWindow = false;
#if LEASE == CONNECTION
    wasInDoubt = (before > 0 && honestDoubt == since[me]);
#endif
    if
    :: isHeldBack -> handOut(mine); finish()
    :: !isHeldBack && (before == 0 || POLICY == ALWAYS) -> at[me] = NOTING
    :: else ->
        if
        :: POLICY == WINDOW && isWindowUsed -> byWindow = true; at[me] = NOTING
        :: else ->
            isWindowMissed = isWindowMissed || (POLICY == WINDOW && noteIsRecent);
            if
            :: isWorthKeeping -> handOut(mine); finish() /* wait */
#ifdef MISTAKE_GIVE_UP_AFTER_TWO
            :: !isWorthKeeping && before == 2 -> mayEnd[mySession] = true; at[me] = CONCLUDING
            :: !isWorthKeeping && before < 2 && isOver -> at[me] = NOTING
#else
            :: !isWorthKeeping && POLICY != SIGN_IN_INSTEAD && isOver -> at[me] = NOTING
#endif
            :: !isWorthKeeping && POLICY == SIGN_IN_INSTEAD -> at[me] = SUSPENDING
            :: else -> finish() /* It is postponed. */
            fi
        fi
    fi
}

#define isAwaited(p) (me != p && at[p] == AWAITING && !isLate[p] && sentBy[p] == mine && (request[p] != 0 || answer[p] != NOTHING))

/* Whether the token was honestly in doubt. A holder that has lost its connection may send for a moment longer, while another
 * process stores what it could not store for the whole limit of a request. */
#if LEASE == CONNECTION
#define isHonest (wasInDoubt || honestDoubt == since[me])
#else
#define isHonest (honestDoubt == since[me])
#endif

/* The request leaves. */
inline leave() {
    /* Nobody who is in time waits for the answer to this very token. */
    assert(!isAwaited(1) && !isAwaited(2));
#if CLIENTS > 2
    assert(!isAwaited(3));
#endif
    if
    :: sent[mine] > 0 ->
        /* A second time only as the policy says, and only when nobody can know what became of the first. */
        assert(attempt > 1 && isHonest);
        assert(POLICY == ALWAYS || byWindow || (POLICY != SIGN_IN_INSTEAD && !isUsable(mine) && attempt == 2));
#if KEYS > 1
        /* Nor for a resource that has a token, as far as its sender can know. */
        assert(POLICY == ALWAYS || byWindow || wantsOwn || otherAge == EXPIRED || since[me] != tokensSince);
#endif
        /* Where a second use may be taken for a theft, the first one has arrived, or never will. */
        assert(POLICY == ALWAYS || byWindow || orphans == 0)
    :: else
    fi;
    if
    :: attempt > 1 && POLICY != ALWAYS -> mayEnd[mySession] = true
    :: else
    fi;
    sent[mine]++;
    request[me] = mine;
    sentBy[me] = mine;
    printf("Client %d sends token %d\n", me, mine)
}

/* What was known before the request holds again (`RefreshResult.unspent`). */
inline takeNoteBack() {
    if
    :: noteGeneration == entry && disk == SOUND -> putNote(since[me], before)
    :: else -> doubt(me)
    fi
}

/* `TokenRefresher.overtaken(_:)`: the record has moved on. The new token is revoked unless it is the stored one, or the stored
 * one is of the same session: then somebody else has refreshed it, and revoking would end what they stored. */
inline overtaken() {
#ifdef MISTAKE_CONFLICT_TAKEN_FOR_A_SIGN_OUT
    discardNext();
    finish()
#else
    if
    :: kind == LIVE && token == next ->
        /* It was stored by a write that seemed to fail. */
        seen[me] = generation;
        if
        :: isUnverified -> at[me] = VERIFYING
        :: else -> finish()
        fi
#ifndef MISTAKE_DISCARD_BESIDE_A_NEW_SIGN_IN
    :: kind == LIVE && token != next -> finish()
#else
    :: kind == LIVE && token != next && session == mySession -> finish()
    :: kind == LIVE && token != next && session != mySession -> discardNext(); finish()
#endif
    :: kind != LIVE -> discardNext(); finish()
    fi
#endif
}

/* `ProviderSessions.Discard` */
inline discardNext() {
    printf("Client %d revokes token %d\n", me, next);
    revoke(sessionOf[next]);
    /* Nobody revokes what the store holds as live. */
    assert(kind != LIVE || isAlive[session] || mayEnd[session])
}

inline keep() {
    isCalled[me] = false;
    at[me] = KEEPING
}

inline afterStoring() {
    if
    :: mustVerify -> at[me] = VERIFYING
    :: else -> handOut(next); finish()
    fi
}

/* What `TokenStore.lease(for:)` needs besides the lease being free. Taking over a lapsed note waits for a write that its
 * former holder has begun, by passing through the record's write lock. */
#ifdef MISTAKE_NOTHING_RESERVED
#define hasRoom (disk != FAILING)
#else
#define hasRoom (disk == SOUND)
#endif
#ifdef MISTAKE_TAKEN_OVER_BESIDE_A_WRITE
#define mayClaim hasRoom
#else
#define mayClaim (hasRoom && writer == NOBODY)
#endif

/* A result of a second grant is written into the record whatever is known of this one. */
#if defined(MISTAKE_DETAILS_VOID_THE_NOTE) || GRANTS > 1
#define mayRemember true
#else
#define mayRemember !isInDoubt
#endif

/* Whether what is stored is to be refreshed or verified, and may be. */
#define isStale ((age[token] != FRESH || isUnverified) && !isSuspended && !isPostponed && !isHeldBack)
#define isPostponed ((POLICY == NEVER || (POLICY == WINDOW && !noteIsRecent)) \
    && isInDoubt && age[token] == EXPIRED && !isUnverified && !isOver)

#if KEYS > 1
/* Whether the resource's token is to be refreshed, and may be. */
#define isOtherStale (otherAge != FRESH && !isOtherRefused && !isUnverified && !isSuspended && !isOtherPostponed \
    && !isHeldBack)
#ifdef MISTAKE_DOUBT_OF_ONE_KEY
#define isOtherPostponed false
#else
#define isOtherPostponed ((POLICY == NEVER || (POLICY == WINDOW && !noteIsRecent)) \
    && isInDoubt && (otherAge != EXPIRED || isUsable(token) || !isOver))
#endif
#endif

/* `ProviderSessions.credential(for:scopes:replacing:)` and `TokenRefresher.refresh(_:for:)`: the lease is taken, and
 * everything that the result needs is reserved with it. */
inline beginCall() {
    isCalled[me] = true;
    sessionAtCall = session;
    claim();
#ifdef MISTAKE_NOTHING_RESERVED
    isReserved = (disk == SOUND);
#else
    isReserved = true;
#endif
    at[me] = HOLDING;
#if LEASE == LOCK
    /* Nobody else can tell these from one step: what they read, only its holder or a sign-in or -out changes. */
    readNote();
    readSession()
#endif
}

/* The flight is over. `StoreLease.release()`, in the same step. */
inline finish() {
#ifdef MISTAKE_RELEASE_WITHOUT_LOCK
    if
    :: holder == me -> at[me] = RELEASING
    :: else -> goto over
    fi
#else
    goto over
#endif
}

/* `RefreshIntents.entry(for:)`, before the record: whoever notes a request after this makes the note below fail. */
inline readNote() {
    entry = noteGeneration;
    noted = noteSpeaksOf;
    before = noteAttempt
}

/* `TokenRefresher.decide(_:for:holding:)`: the record, read again under the lease */
inline readSession() {
    seen[me] = generation; since[me] = tokensSince; mine = token; mySession = session;
    if
    :: kind != LIVE -> finish()
    :: kind == LIVE && isUnverified -> next = token; at[me] = VERIFYING
    :: kind == LIVE && !isUnverified && isFresh -> handOut(token); finish()
    :: kind == LIVE && !isUnverified && !isFresh && isSuspended -> finish()
    :: else ->
        sessionAtCall = session;
#ifdef MISTAKE_NOTE_READ_AFTER_RECORD
        at[me] = DECIDING
#else
        decideReplay()
#endif
    fi
}

proctype Client(byte me) {
    byte mine;          /* the refresh token of the session as it was read */
    byte mySession;
    byte next;          /* the new one */
    byte entry;         /* the generation of the note's record */
    byte attempt;
    byte noted;         /* the generation the note speaks of */
    byte before;        /* the attempts that were noted before */
    byte sessionAtCall;
    bool mustVerify;    /* the new ID token needs a key that is not at hand */
    bool isReserved;    /* space and descriptors for the result */
    bool hasFailed;     /* a write failed that was not short of space */
    bool byWindow;      /* sent again because the window is open */
    bool hasWord;       /* the server has said why, for the properties */
    bool wasInDoubt;
    bool isForged;      /* the ID token is another's, for the properties */
#if KEYS > 1
    byte key;           /* which access token is asked for */
    bool isForAnother;  /* the new access token is for another resource */
#endif

end_of_step:
    do

    /* MARK: The call */

    /* Somebody asks for a token, what is stored is to be refreshed or verified, and the lease is free. Where it is taken, or nothing can be reserved, callers leave with what there is or with an error, are cancelled, or ask
     * again; that changes nothing and is no step. */
    :: atomic {
        at[me] == IDLE && kind == LIVE && isStale && isFree && mayClaim ->
        beginCall() }
#if KEYS > 1
    /* `ProviderSessions.accessToken(for:scopes:resource:freshness:)`: the same for the resource */
    :: atomic {
        at[me] == IDLE && kind == LIVE && isOtherStale && isFree && mayClaim ->
        key = RESOURCE;
        beginCall() }
#endif
#ifdef MISTAKE_HAND_OUT_UNVERIFIED
    :: atomic { at[me] == IDLE && kind == LIVE && isUsable(token) && isUnverified -> handOut(token); assert(!isUnverified) }
#endif

#ifdef MISTAKE_SECOND_SPENDER
    /* Another part of the process has a refused access token, and asks the server on its own. */
    :: atomic {
        at[me] == IDLE && kind == LIVE && age[token] != FRESH && !isFree ->
        seen[me] = generation; since[me] = tokensSince; mine = token; mySession = session; sessionAtCall = session;
        isCalled[me] = true; attempt = 1;
        leave();
        at[me] = AWAITING }
#endif

#if LEASE != LOCK
#ifdef MISTAKE_NOTE_READ_AFTER_RECORD
    :: atomic { at[me] == HOLDING -> readSession() }
    :: atomic { at[me] == DECIDING -> readNote(); decideReplay() }
#else
    :: atomic { at[me] == HOLDING -> readNote(); at[me] = DECIDING }
    :: atomic { at[me] == DECIDING -> readSession() }
#endif
#endif

    /* MARK: The request */

    /* `RefreshIntents.write(_:for:replacing:)`, within `RefreshMonitor.guarding(_:)` */
    :: atomic {
        at[me] == NOTING ->
#ifdef MISTAKE_NOTE_AFTER_SENDING
        at[me] = SENDING
#else
        if
        :: noteGeneration == entry && disk == SOUND ->
            putNote(since[me], attempt); entry = noteGeneration;
            if
            :: attempt == 1 && POLICY == WINDOW -> noteIsRecent = true
            :: else
            fi;
            at[me] = SENDING
        :: noteGeneration == entry && disk == FAILING ->
            /* An error that tells nobody whether the note is there. */
            putNote(since[me], attempt); doubt(me);
            finish()
        :: noteGeneration != entry || disk != SOUND -> finish()
        fi
#endif
    }

    /* `ProviderSessions.Exchange`. A holder whose time is up does not send, nor does anybody after the window. */
    :: atomic {
        at[me] == SENDING ->
        if
#ifdef MISTAKE_SEND_WHEN_TIME_IS_UP
        :: true ->
#else
        :: !isLate[me] && (!byWindow || noteIsRecent) ->
#endif
            leave();
            at[me] = AWAITING
#ifndef MISTAKE_SEND_WHEN_TIME_IS_UP
        :: else -> takeNoteBack(); finish()
#endif
        fi }

    /* The answer */
    :: atomic {
        at[me] == AWAITING && answer[me] == RENEWED ->
        next = answerToken[me]; answer[me] = NOTHING; answerToken[me] = 0;
        if
        :: mustVerify = false
        :: troubles > 0 -> troubles--; mustVerify = true
        fi;
#if KEYS > 1
        if
        :: isForAnother = false
        :: !wantsOwn && troubles > 0 ->
            troubles--;
            isForAnother = true;
            printf("The access token of client %d is not for the resource\n", me)
        fi;
#endif
#ifdef MISTAKE_NOTE_AFTER_SENDING
        putNote(since[me], attempt); entry = noteGeneration;
#endif
#ifdef MISTAKE_VERIFY_BEFORE_STORING
        at[me] = VERIFYING
#else
        at[me] = STORING
#endif
    }
    /* `RefreshResult.refused` */
    :: atomic {
        at[me] == AWAITING && answer[me] == REFUSED ->
        answer[me] = NOTHING;
        hasWord = true;
        at[me] = CONCLUDING }
    /* `RefreshResult.personNeeded`, `.clientUnknown` or `.ambiguous` once more */
    :: atomic {
        at[me] == AWAITING && answer[me] == ASKS && wantsOwn ->
        answer[me] = NOTHING;
        hasWord = true;
        sent[mine]--;
        takeNoteBack();
        at[me] = SUSPENDING }
#if KEYS > 1
    /* `TokenRefresher.refuse(_:_:_:because:)`: whatever the server has against a resource, the session goes on without it. */
    :: atomic {
        at[me] == AWAITING && answer[me] == ASKS && !wantsOwn ->
        answer[me] = NOTHING;
        sent[mine]--;
#ifdef MISTAKE_REFUSED_RESOURCE_CLEARS_THE_NOTE
        before = 0;
#endif
        takeNoteBack();
#ifdef MISTAKE_REFUSED_RESOURCE_ENDS_THE_SESSION
        hasWord = true;
        at[me] = CONCLUDING
#else
        at[me] = REMEMBERING
#endif
    }
#endif
    /* `RefreshResult.unspent` */
    :: atomic {
        at[me] == AWAITING && answer[me] == UNSPENT ->
        answer[me] = NOTHING;
        sent[mine]--;
        takeNoteBack();
        finish() }
    /* The answer does not come in time, or what comes is no answer. */
    :: atomic {
        at[me] == AWAITING && (troubles > 0 || isLate[me]) ->
        if
        :: isLate[me]
        :: else -> troubles--
        fi;
        doubt(me);
        abandonRequest();
        printf("Client %d gets no answer\n", me);
        finish() }
#ifdef MISTAKE_CANCELLATION_REACHES_REFRESH
    :: atomic { at[me] == AWAITING -> abandonRequest(); printf("Client %d is cancelled\n", me); finish() }
#endif

    /* MARK: The result */

    /* `TokenRefresher.commit(_:_:_:_:)`: the first write, before anything else */
    :: atomic {
        at[me] == STORING && writer == NOBODY ->
        if
        :: isStanding && (disk == SOUND || (disk == FULL && isReserved)) ->
            isReserved = false;
#if LEASE != LOCK
            /* Within the write lock, between the comparison and the new file */
            writer = me;
            at[me] = REPLACING
#else
            putRefreshed();
            afterStoring()
#endif
        :: isStanding && disk == FULL && !isReserved -> at[me] = KEEPING
        :: isStanding && disk == FAILING ->
            isReserved = false; hasFailed = true;
            if
            :: /* Renamed, and then an error. */
                temporary = since[me]; putRefreshed(); seen[me] = generation - 1; since[me] = temporary; temporary = 0
            :: skip
            fi;
            keep()
        :: !isCurrent -> overtaken()
        :: isCurrent && holder != me ->
            /* The lease was taken over, and whoever has it has stored nothing. */
#ifdef MISTAKE_RESULT_DROPPED_WITH_LEASE
            honestDoubt = 0;
            finish()
#else
            hasFailed = true;
            keep()
#endif
        fi }
    :: atomic {
        at[me] == REPLACING ->
        putRefreshed();
        writer = NOBODY;
        afterStoring() }

    /* `UnstoredSessions.keep(_:_:_:_:discarding:_:_:)`: used by this process, and offered to the store until it is
     * taken. A lease that is over is taken again (`LeasedRecord.write(_:replacing:)`). The result counts for as long as
     * the record is the one it was made of, also when somebody has noted another request meanwhile: what is stored is
     * spent, so nothing is lost by replacing it, and that request's answer finds another generation. */
    :: atomic {
        at[me] == KEEPING && writer == NOBODY && !isCurrent ->
        overtaken() }
    :: atomic {
        at[me] == KEEPING && writer == NOBODY && isStanding && disk == SOUND ->
        putRefreshed();
        afterStoring() }
    :: atomic {
        at[me] == KEEPING && isCurrent && holder != me && isFree && mayClaim ->
        holder = me; isLapsed = false; isLate[me] = false;
        printf("Client %d takes the lease again\n", me) }
    :: atomic {
        at[me] == KEEPING && isClosing[me] && disk != SOUND ->
        /* A process that is asked to end waits for what is not stored; in the end it fails loudly. */
        printf("Client %d says that a session was not stored\n", me);
        if
        :: hasFailed -> doubt(me)
        :: else
        fi;
        goto dead }
    /* Another caller of this process: the result in memory counts for the generation that is stored. */
#ifdef MISTAKE_MEMORY_BEFORE_STORE
    :: atomic { at[me] == KEEPING && kind != LIVE -> sessionAtCall = 0; handOut(next) }
#endif

    /* The keys are fetched and the ID token is verified; the verified credential replaces the record. */
    :: atomic {
        at[me] == VERIFYING && writer == NOBODY ->
#ifdef MISTAKE_VERIFY_BEFORE_STORING
        mustVerify = false;
        if
        :: seen[me] == generation && token == mine && mine != next -> at[me] = STORING
        :: else
        fi;
#endif
        if
        :: at[me] == STORING
        :: at[me] != STORING && generation != seen[me] ->
            /* Somebody else has verified, refreshed, or signed out or in. The token is not ours to revoke. */
#ifdef MISTAKE_VERIFICATION_REVOKES
            discardNext();
#endif
            finish()
        :: at[me] != STORING && generation == seen[me] && (holder != me || disk != SOUND) ->
            /* It stays marked, for the next one. */
            finish()
        :: at[me] != STORING && generation == seen[me] && holder == me && disk == SOUND ->
            if
            :: generation++; tokensSince = generation;
                /* genuine, or its key is out of reach, which costs the ID token and nothing else */
                isUnverified = false;
                printf("Client %d verifies token %d, generation %d\n", me, token, generation);
                handOut(token);
                finish()
            :: troubles > 0 ->
                troubles--;
                mayEnd[session] = true; hasWord = true; isForged = true;
                printf("The ID token is forged\n");
                putEnded();
                finish()
            fi
        fi }

    /* `TokenRefresher.suspend(_:_:_:)`, and nothing when the record has moved on or cannot be written */
    :: atomic {
        at[me] == SUSPENDING && writer == NOBODY ->
        if
        :: isStanding && generation == seen[me] && (disk == SOUND || (disk == FULL && isReserved)) -> putSuspended()
        :: else
        fi;
        finish() }

    /* `TokenRefresher.conclude(_:_:because:)`: refused. If the record has moved on, that says nothing. */
    :: atomic {
        at[me] == CONCLUDING && writer == NOBODY ->
        if
        :: isStanding && generation == seen[me] && (disk == SOUND || (disk == FULL && isReserved)) -> putEnded()
        :: else ->
            /* The refusal is forgotten, and the note says what it said: nobody knows. */
            doubt(me)
        fi;
        finish() }

#ifdef MISTAKE_RELEASE_WITHOUT_LOCK
    /* What was looked at before is removed now, whosever it is by now. */
    :: atomic { at[me] == RELEASING -> holder = NOBODY; isLapsed = false; goto over }
#endif

    /* MARK: Other things a process does */

    /* `ProviderSessions.remember(_:profile:for:)`, `StoredSession.all(with:)`: another detail, or the result of a second grant,
     * under the lease */
    :: atomic {
        at[me] == IDLE && troubles > 0 && kind == LIVE && !isUnverified && isFree && mayClaim ->
        troubles--;
        claim();
        seen[me] = generation; since[me] = tokensSince;
        mySession = session;
        at[me] = REMEMBERING }
    :: atomic {
        at[me] == REMEMBERING && writer == NOBODY ->
        if
        /* While a token is in doubt no profile is written: the response has a newer one. A refused resource is marked. */
        :: generation == seen[me] && holder == me && disk == SOUND && (mayRemember || !wantsOwn) ->
            assert(kind == LIVE && session == mySession);
            generation++;
#if defined(MISTAKE_DETAILS_VOID_THE_NOTE) || defined(MISTAKE_GRANT_VOIDS_THE_NOTE)
            tokensSince = generation;
#endif
#if KEYS > 1
            isOtherRefused = isOtherRefused || !wantsOwn;
#endif
            printf("Client %d remembers a detail, generation %d\n", me, generation)
        :: else
        fi;
        finish() }

    /* SIGKILL */
    :: atomic {
        at[me] != IDLE && troubles > 0 ->
        troubles--;
        if
        :: leavesDoubt -> doubt(me)
        :: else
        fi;
        goto dead }
    /* SIGTERM: `TerminationSignals` and `RefreshMonitor.close(within:time:)` wait for what is between note and store. */
    :: atomic {
        at[me] >= SENDING && at[me] <= KEEPING && !isClosing[me] && troubles > 0 ->
        troubles--;
        isClosing[me] = true;
        printf("Client %d is asked to end\n", me) }
    :: atomic {
        isClosing[me] && at[me] == VERIFYING ->
        goto dead }
#ifdef MISTAKE_SHORT_GOODBYE
    :: atomic { isClosing[me] && at[me] == AWAITING -> goto dead }
#endif
    od;

over:
    atomic {
#ifdef MISTAKE_LEASE_NOT_GIVEN_BACK
        if
        :: attempt > 0
        :: else -> giveBack()
        fi;
#else
        giveBack();
#endif
        becomeIdle();
        goto end_of_step
    }

dead:
    /* SIGKILL, a crash, a power failure. A kernel lock goes with its process, a note stays. */
    atomic {
        printf("Client %d dies\n", me);
        abandonRequest();
        if
        :: holder == me && LEASE == LOCK -> holder = NOBODY
        :: holder == me && LEASE != LOCK -> holder = DEAD
        :: else
        fi;
        if
        :: writer == me -> writer = NOBODY
        :: else
        fi;
        becomeIdle();
        goto end_of_step
    }
}
