// Re-exports AuthenticationServices, because views for Sign in with Apple need the framework's button and result types.
#if canImport(AuthenticationServices)
@_exported import AuthenticationServices
#endif
