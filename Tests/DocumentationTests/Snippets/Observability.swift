#if Observability
import IdentityKit
import IdentityObservability
import Logging

enum Observability {
    // snippet: observability
    func environment(over store: any TokenStore, log: Logger) -> IdentityEnvironment {
        IdentityEnvironment(
            store: store,
            observers: [LoggingObserver(logger: log), MetricsObserver(), TracingObserver()])
    }
    // end snippet
}
#endif
