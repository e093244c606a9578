// Sign in with Apple, whose button and result stand beside the names of this module in an app's views.
#if canImport(AuthenticationServices)
@_exported import AuthenticationServices
#endif
