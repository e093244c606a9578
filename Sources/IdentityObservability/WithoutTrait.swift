#if !Observability
/// An observer that logs events with swift-log. Available only with the trait `Observability` of swift-identity.
@available(
    *, unavailable,
    message: "add the trait \"Observability\" of swift-identity in Package.swift: traits: [\"Observability\"]"
)
public struct LoggingObserver {}

/// An observer that counts events with swift-metrics. Available only with the trait `Observability` of swift-identity.
@available(
    *, unavailable,
    message: "add the trait \"Observability\" of swift-identity in Package.swift: traits: [\"Observability\"]"
)
public struct MetricsObserver {}

/// An observer that makes spans with swift-distributed-tracing. Available only with the trait `Observability` of
/// swift-identity.
@available(
    *, unavailable,
    message: "add the trait \"Observability\" of swift-identity in Package.swift: traits: [\"Observability\"]"
)
public struct TracingObserver {}
#endif
