# Doorkeeper on loopback: OAuth 2.0 without OpenID Connect, as GitLab, Mastodon and many others have it. A refresh token stays
# good until the access token that it brought is used.
#
# The person's page is this file's; consent is not asked for.

require "json"
require "logger"
require "tmpdir"
require "action_controller/railtie"
require "active_record/railtie"
require "doorkeeper"
require "puma"

USER = { username: "ada", password: "Enchantress-1!", email: "ada@example.org" }
PUBLIC = { id: "swift-app" }
CONFIDENTIAL = { id: "swift-service", secret: "a secret with/signs%" }
REDIRECT_URI = "http://127.0.0.1:8912/callback"

Person = Struct.new(:id)

folder = Dir.mktmpdir
at_exit { FileUtils.rm_rf(folder) }
trap("TERM") { exit }
ENV["RAILS_ENV"] = "production"
ENV["DATABASE_URL"] = "sqlite3:#{folder}/doorkeeper.db"

class Application < Rails::Application
  config.root = __dir__
  config.eager_load = false
  config.logger = Logger.new($stderr)
  config.log_level = :warn
  config.secret_key_base = "loopback"
  config.hosts.clear
  config.session_store :cookie_store, key: "session"
end

Doorkeeper.configure do
  orm :active_record
  resource_owner_authenticator do
    unless session[:user]
      session[:page] = request.fullpath
      redirect_to "/sign-in"
    end
    Person.new(session[:user]) if session[:user]
  end
  skip_authorization { true }
  default_scopes :read
  optional_scopes :write
  enforce_configured_scopes
  use_refresh_token
  access_token_expires_in 3600
  force_ssl_in_redirect_uri false
  grant_flows %w[authorization_code]
end

Application.initialize!

ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  create_table :oauth_applications do |t|
    t.string :name, :uid, :secret, null: false
    t.text :redirect_uri
    t.string :scopes, null: false, default: ""
    t.boolean :confidential, null: false, default: true
    t.timestamps null: false
  end
  create_table :oauth_access_grants do |t|
    t.integer :resource_owner_id, null: false
    t.references :application, null: false
    t.string :token, null: false
    t.integer :expires_in, null: false
    t.text :redirect_uri, null: false
    t.string :scopes, null: false, default: ""
    t.string :code_challenge, :code_challenge_method
    t.datetime :created_at, :revoked_at
  end
  create_table :oauth_access_tokens do |t|
    t.integer :resource_owner_id, :expires_in
    t.references :application
    t.string :token, null: false
    t.string :refresh_token, :scopes
    t.string :previous_refresh_token, null: false, default: ""
    t.datetime :created_at, :revoked_at
  end
end

[PUBLIC, CONFIDENTIAL].each do |client|
  Doorkeeper::Application.create!(
    name: client[:id], uid: client[:id], secret: client[:secret] || "none", redirect_uri: REDIRECT_URI,
    scopes: "read write", confidential: client.key?(:secret))
end

class PeopleController < ActionController::Base
  before_action(only: :me) { doorkeeper_authorize! :read }

  def form
    render html: <<~PAGE.html_safe
      <form method="post" action="/sign-in">
      <input name="username"><input name="password" type="password"><button>Sign in</button></form>
    PAGE
  end

  def sign_in
    return head(403) unless params.values_at(:username, :password) == USER.values_at(:username, :password)
    session[:user] = 1
    redirect_to session.delete(:page)
  end

  def me
    render json: { id: doorkeeper_token.resource_owner_id, username: USER[:username], email: USER[:email] }
  end
end

Application.routes.draw do
  use_doorkeeper { skip_controllers :applications, :authorized_applications }
  get "sign-in", to: "people#form"
  post "sign-in", to: "people#sign_in"
  get "me", to: "people#me"
end

server = Puma::Server.new(Application)
server.min_threads = server.max_threads = 1
port = server.add_tcp_listener("127.0.0.1", 0).addr[1]
server.run
description = {
  issuer: "http://127.0.0.1:#{port}", user: USER, publicClient: PUBLIC, confidentialClient: CONFIDENTIAL,
  redirectURI: REDIRECT_URI
}
File.write("#{ARGV[0]}.part", JSON.pretty_generate(description))
File.rename("#{ARGV[0]}.part", ARGV[0])
sleep
