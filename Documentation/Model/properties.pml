/*
 * What has to become true. What must never be false are the assertions, each beside the action it is about; that nobody
 * waits for ever for what never comes is spin's check for invalid end states. Choose one of these with -DGOES_ON=1...3;
 * they hold under weak fairness: whoever can go on does so at some time.
 */

#if GOES_ON != 0
/* Time goes on when nothing else does: a state that never changes is an endless run as well. */
active proctype Time() {
end:
    do
    :: generation > 0 /* always */
    od
}
#endif

#if GOES_ON == 1
/* Whoever calls is answered. */
ltl call { [] ((isCalled[1] == true) -> <> (isCalled[1] == false)) }
#elif GOES_ON == 2
/* No lease is held for ever. */
ltl lease { [] ((holder == 1) -> <> (holder != 1)) }
#elif GOES_ON == 3
/* An expired session is refreshed in the end, or ended by somebody who has the right to. */
ltl refresh { [] ((kind == LIVE && age[token] == EXPIRED) -> <> !(kind == LIVE && age[token] == EXPIRED)) }
#endif
