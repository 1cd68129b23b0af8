module example.org/triptych

go 1.19
