package quickstart;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;

/** The security of a web application and an API; Pages has both. */
@SpringBootApplication
public class Quickstart {
  private final String issuer;
  private final String clientId;

  Quickstart(@Value("${ISSUER}") String issuer, @Value("${CLIENT_ID}") String clientId) {
    this.issuer = issuer;
    this.clientId = clientId;
  }

  public static void main(String[] arguments) {
    SpringApplication.run(Quickstart.class, arguments);
  }

  /** The API requires an access token for this application. */
  @Bean
  @Order(1)
  SecurityFilterChain api(HttpSecurity http) throws Exception {
    return http.securityMatcher("/api/**")
        .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
        .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
        .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
        .build();
  }

  /** The pages sign in at /oauth2/authorization/tenantry and sign out at Tenantry as well. */
  @Bean
  @Order(2)
  SecurityFilterChain signIn(
      HttpSecurity http, ClientRegistrationRepository clients, OAuth2AuthorizedClientRepository authorized)
      throws Exception {
    var logout = new OidcClientInitiatedLogoutSuccessHandler(clients);
    logout.setPostLogoutRedirectUri("{baseUrl}/");
    return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
        .oauth2Login(login -> login.defaultSuccessUrl("/", true))
        .logout(
            out ->
                out.addLogoutHandler(
                        (request, response, user) ->
                            authorized.removeAuthorizedClient("tenantry", user, request, response))
                    .logoutSuccessHandler(logout))
        .build();
  }

  /** Access tokens have the type at+jwt (RFC 9068), which Spring accepts with this validator only. */
  @Bean
  JwtDecoder accessTokens() {
    var decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
    decoder.setJwtValidator(
        JwtValidators.createAtJwtValidator().issuer(issuer).audience(clientId).clientId(clientId).build());
    return decoder;
  }

  @Bean
  OAuth2AuthorizedClientManager tokenManager(
      ClientRegistrationRepository clients, OAuth2AuthorizedClientRepository authorized) {
    return new DefaultOAuth2AuthorizedClientManager(clients, authorized);
  }
}
