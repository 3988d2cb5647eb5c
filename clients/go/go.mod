module sallyport

go 1.19
