/*
 * The refresh of a session, by several processes that share one store: README.md says what is modelled and what is
 * proven. Read the parts in this order; each action names, in a comment, the function of the library it stands for.
 *
 * Choose with -D: LEASE, SERVER, POLICY, WHOLE_GRANT (configuration.pml), CLIENTS, TROUBLES, AGEINGS (how much happens),
 * KEYS, GRANTS, GOES_ON (a property of properties.pml), and one planted mistake, MISTAKE_... Without any it is the protocol as it is meant.
 */

#ifndef GOES_ON
#define GOES_ON 0
#endif
#include "configuration.pml"
#include "state.pml"
#include "server.pml"
#include "store.pml"
#include "client.pml"
#include "surroundings.pml"
#include "properties.pml"

init {
    atomic {
        /* Somebody is signed in, and the access token is about to expire or has expired. */
        sessionOf[1] = 1; current[1] = 1; isAlive[1] = true; sessions = 1; lastToken = 1;
        generation = 1; kind = LIVE; token = 1; session = 1; tokensSince = 1;
        if
        :: age[1] = EARLY
        :: age[1] = EXPIRED
        fi;
        forgetOther();
#if KEYS > 1
        signedInSince = 1;
#endif
        byte p = 1;
        do
        :: p <= CLIENTS -> run Client(p); p++
        :: else -> break
        od;
        p = 0;
        run Server();
        run Clock();
        run Disk();
        run Person()
#if KEYS > 1
        ;
        run Reader()
#endif
    }
}
