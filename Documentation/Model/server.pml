/* The server: rotates refresh tokens, and judges what was used before. */

byte issued; /* what the last request got; 0 when it was refused */

inline issue(s) {
    lastToken++;
    assert(lastToken <= TOKENS);
    sessionOf[lastToken] = s;
    issued = lastToken
}

/* A token request with the refresh token `t` (RFC 6749, section 6). */
inline judge(t) {
    issued = 0;
    if
    :: !isAlive[sessionOf[t]]
    :: else ->
        if
        :: t == current[sessionOf[t]] ->
            issue(sessionOf[t]);
#if SERVER == PARENT || SERVER == GRACE
            previous[sessionOf[t]] = t;
#endif
            hasWindow[t] = (SERVER == GRACE);
            current[sessionOf[t]] = issued
        :: t != current[sessionOf[t]] && SERVER == CARELESS ->
            issue(sessionOf[t])
        :: t != current[sessionOf[t]] && SERVER == PARENT && t == previous[sessionOf[t]] ->
            issued = current[sessionOf[t]]
        :: t != current[sessionOf[t]] && SERVER == GRACE && hasWindow[t] ->
            hasWindow[t] = false;
            hasWindow[current[sessionOf[t]]] = true;
            issue(sessionOf[t]);
            current[sessionOf[t]] = issued
        :: else ->
            if
            :: SERVER == THEFT || SERVER == GRACE || SERVER == PARENT -> isAlive[sessionOf[t]] = false
            :: else
            fi
        fi
    fi
}

/* A revocation request (RFC 7009). Some servers take all sessions of a person and a client for one grant. */
inline revoke(s) {
    isAlive[s] = false;
#ifdef WHOLE_GRANT
    isAlive[1] = false; isAlive[2] = false; isAlive[3] = false
#endif
}

/* Whether the server would refresh the session with this token. */
#define accepts(t) (isAlive[sessionOf[t]] && (t == current[sessionOf[t]] || SERVER == CARELESS \
    || (SERVER == PARENT && t == previous[sessionOf[t]]) || (SERVER == GRACE && hasWindow[t])))

inline answerRequest() {
    if
    :: judge(request[p]);
        if
        :: issued != 0 ->
            answer[p] = RENEWED;
            answerToken[p] = issued;
            printf("The server takes token %d of client %d, and gives token %d\n", request[p], p, issued)
        :: else ->
            answer[p] = REFUSED;
            printf("The server refuses token %d of client %d\n", request[p], p)
        fi
    :: troubles > 0 -> troubles--; answer[p] = UNSPENT; printf("The server does not look at the request of client %d\n", p)
    :: troubles > 0 -> troubles--; answer[p] = ASKS; printf("The server asks client %d for the person\n", p)
    fi;
    issued = 0;
    request[p] = 0
}

proctype Server() {
    byte p;
end:
    do
    :: atomic {
        request[1] != 0 -> p = 1; answerRequest(); p = 0 }
    :: atomic {
        request[2] != 0 -> p = 2; answerRequest(); p = 0 }
#if CLIENTS > 2
    :: atomic {
        request[3] != 0 -> p = 3; answerRequest(); p = 0 }
#endif
    :: atomic {
        orphans > 0 ->
        if
        :: judge(orphan[orphans - 1]); printf("A request whose sender is gone arrives: token %d\n", orphan[orphans - 1])
        :: skip /* It never arrives. */
        fi;
        issued = 0;
        orphans--;
        orphan[orphans] = 0 }
    :: atomic {
        /* The server ends the session by itself. */
        troubles > 0 && kind == LIVE && isAlive[session] ->
        troubles--;
        isAlive[session] = false;
        mayEnd[session] = true;
        printf("The server ends session %d\n", session) }
    od
}
