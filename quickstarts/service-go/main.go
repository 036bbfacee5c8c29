// A program without users: gets a token of its own and lists the memberships of its system.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	issuer := os.Getenv("ISSUER")
	config := clientcredentials.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     issuer + "/token",
	}
	answer, err := config.Client(context.Background()).Get(issuer + "/admin/memberships")
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		log.Fatal(answer.Status)
	}
	// Partition your data by accountId, never by userId: a user can have several accounts.
	var list struct {
		Data []struct{ AccountID, ID string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		log.Fatal(err)
	}
	for _, membership := range list.Data {
		fmt.Println(membership.AccountID, membership.ID)
	}
}
