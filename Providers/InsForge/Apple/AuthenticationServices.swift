// Re-exported, because views that use this module for Sign in with Apple need its button and result types.
#if canImport(AuthenticationServices)
@_exported import AuthenticationServices
#endif
