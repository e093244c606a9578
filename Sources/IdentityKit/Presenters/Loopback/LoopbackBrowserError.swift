/// The reason why a sign-in in the browser cannot begin on this machine, or has not ended in time.
package enum LoopbackBrowserError: StatedFailure, Equatable {
    /// The port with this number is in use by another program.
    case portTaken(Int)
    /// The user is not permitted to listen on the port with this number.
    case portNotAllowed(Int)
    /// The machine does not have this loopback address.
    case noAddress(String)
    /// The redirect URI is not an `http` address on this machine's loopback interface. Also thrown for a page whose
    /// redirect URI has no port, because no response can arrive there.
    case unreachableRedirect(String)
    /// The system refuses to let this program listen. `errno` is the code of the failed call.
    case cannotListen(errno: Int32)
    /// No response arrived within this time.
    /// - Parameter strays: the number of requests to the redirect URI that were not the expected response.
    case timedOut(seconds: Int, strays: Int)

    package var facts: FailureFacts {
        switch self {
        case .portTaken(let port):
            .definitive(
                "redirect_port_taken",
                """
                Nothing can listen on port \(port) of this machine, because another program does. End it, or register a \
                redirect URI without a port, such as http://127.0.0.1/callback, which takes any free one.
                """)
        case .portNotAllowed(let port):
            .definitive(
                "redirect_port_not_allowed",
                """
                Only an administrator may listen on port \(port) of this machine. Register a redirect URI without a port, \
                such as http://127.0.0.1/callback, which takes any free one.
                """)
        case .noAddress(let host):
            .definitive(
                "redirect_address_missing",
                "This machine does not have the address \(host). Register http://127.0.0.1/callback as a redirect URI.")
        case .unreachableRedirect(let uri):
            .definitive(
                "redirect_not_loopback",
                "\(uri) does not lead to this machine. Register http://127.0.0.1/callback as a redirect URI and set it."
            )
        case .cannotListen(let errno):
            .transient(
                "redirect_cannot_listen",
                "The system does not allow this program to listen (errno \(errno)). Close other programs and try again."
            )
        case .timedOut(let seconds, let strays):
            .transient(
                "browser_timed_out",
                "There was no sign-in within \(seconds) seconds. \(Self.count(strays))Sign in again.")
        }
    }

    private static func count(_ strays: Int) -> String {
        switch strays {
        case 0: ""
        case 1: "One request that belongs to no sign-in was ignored. "
        default: "\(strays) requests that belong to no sign-in were ignored. "
        }
    }
}
