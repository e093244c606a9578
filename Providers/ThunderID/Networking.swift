// Requests, which an app makes with the client's tokens: it imports one module for both.
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
