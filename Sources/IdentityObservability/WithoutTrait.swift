#if !Observability
/// Available with the trait `Observability` of swift-identity.
@available(
    *, unavailable,
    message: "add the trait \"Observability\" of swift-identity in Package.swift: traits: [\"Observability\"]"
)
public struct LoggingObserver {}

/// Available with the trait `Observability` of swift-identity.
@available(
    *, unavailable,
    message: "add the trait \"Observability\" of swift-identity in Package.swift: traits: [\"Observability\"]"
)
public struct MetricsObserver {}

/// Available with the trait `Observability` of swift-identity.
@available(
    *, unavailable,
    message: "add the trait \"Observability\" of swift-identity in Package.swift: traits: [\"Observability\"]"
)
public struct TracingObserver {}
#endif
