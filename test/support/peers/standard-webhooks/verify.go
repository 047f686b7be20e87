// What the library of Standard Webhooks for Go says of requests, one a line, as JSON: accepted or refused.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type captured struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"body"`
}

func main() {
	requests := json.NewDecoder(os.Stdin)
	for {
		var request captured
		if err := requests.Decode(&request); err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		webhook, err := standardwebhooks.NewWebhook(request.Secret)
		if err != nil {
			log.Fatal(err)
		}
		headers := http.Header{}
		for name, value := range request.Headers {
			headers.Set(name, value)
		}
		if webhook.Verify(request.Body, headers) == nil {
			fmt.Println("accepted")
		} else {
			fmt.Println("refused")
		}
	}
}
