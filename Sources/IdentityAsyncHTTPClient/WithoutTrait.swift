#if !AsyncHTTPClient
/// Available with the trait `AsyncHTTPClient` of swift-identity.
@available(
    *, unavailable,
    message: "add the trait \"AsyncHTTPClient\" of swift-identity in Package.swift: traits: [\"AsyncHTTPClient\"]"
)
public final class AsyncHTTPClientTransport {}
#endif
